"""Linear and nearly linear models of energy from a table of execution cases (paper 3, equations 2 to 6)."""
