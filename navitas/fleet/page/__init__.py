"""A fleet's results as one self-contained HTML page."""
