"""Many phones' battery samples → hogs, bugs, J-scores and what to do about them (docs/fleet.md; needs `navitas[fleet]`)."""
