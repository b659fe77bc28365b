"""Group-bys over the ledger: what every report and script reads."""
