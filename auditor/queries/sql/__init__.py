"""From the SQL of a log to what it asks."""
