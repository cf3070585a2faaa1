"""How far the distribution of a class is from another one: divergences, the earth mover's distance, transport."""
