"""What expressions are worth: exact numbers, dates, texts, truth values."""
