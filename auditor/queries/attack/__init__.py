"""What the answers of a log give away together, and to whom."""
