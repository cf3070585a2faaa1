"""What exact sums determine: row spaces, groups, and what one more answer would."""
