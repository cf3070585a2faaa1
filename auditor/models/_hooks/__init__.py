"""What requirements other than those on the classes of one table fill in: records, samples, populations, sequences."""
