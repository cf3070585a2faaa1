"""Disclosure risk of masked microdata: what an intruder who holds the original, or a part of it, can do."""
