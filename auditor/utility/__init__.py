"""Information loss of masked microdata: what an analyst no longer finds in it."""
