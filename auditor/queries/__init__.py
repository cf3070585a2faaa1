"""Query logs: what a sequence of aggregate answers gives away."""
