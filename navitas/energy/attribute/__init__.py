"""Attribution: from tables and a power model to the energy of tests, threads and methods."""
