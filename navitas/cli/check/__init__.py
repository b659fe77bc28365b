"""`navitas check`: budgets."""
