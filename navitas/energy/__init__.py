"""Tables and a power model → a `Profile`."""
