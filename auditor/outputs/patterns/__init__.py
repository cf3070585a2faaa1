"""What published supports of itemsets and rules say of others: the patterns between them that few records have."""
