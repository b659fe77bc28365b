"""Battery samples of many phones → hogs, bugs, J-scores and advice (docs/fleet.md). Needs `navitas[fleet]`."""
