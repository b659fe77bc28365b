"""What the sums of all clients show: hogs, bugs, scores, rates."""
