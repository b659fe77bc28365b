"""A `Profile`, reports or tables → answers: graphs, changes, trends, models."""
