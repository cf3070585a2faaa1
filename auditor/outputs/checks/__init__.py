"""What a policy says of each type of output: one file per type, which nothing else lists by hand."""
