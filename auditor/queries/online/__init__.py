"""Deciding a query before it is answered, and remembering what was."""
