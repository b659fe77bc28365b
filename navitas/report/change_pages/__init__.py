"""Pages about changes: the comparison of two versions, and the history of a project."""
