"""Where stages run: DuckDB on this machine, or Spark on a cluster."""
