"""What sums determine of bounded and whole numbers: exact linear and integer programmes."""
