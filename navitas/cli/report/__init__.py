"""`navitas report` and `import`."""
