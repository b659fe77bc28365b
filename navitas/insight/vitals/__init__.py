"""Google Play's bad-behaviour metrics of battery use, from dumps of batterystats and bug reports."""
