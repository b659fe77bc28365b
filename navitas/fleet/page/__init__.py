"""A fleet's results as one HTML page that needs nothing else."""
