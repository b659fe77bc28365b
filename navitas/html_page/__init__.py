"""What every HTML page of ours is made of: one file that loads nothing, whose texts stay texts."""
