"""What maxima and minima determine, alone and with sums."""
