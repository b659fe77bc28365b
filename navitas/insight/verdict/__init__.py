"""What uses the energy, in words: a recording's answer at first sight."""
