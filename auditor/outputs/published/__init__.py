"""What outputs say: each type, the conditions, values and totals in it, and the records that these count."""
