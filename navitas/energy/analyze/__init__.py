"""Group-bys over the ledger. Reports and scripts read their results."""
