"""From power_profile.xml to a power model."""
