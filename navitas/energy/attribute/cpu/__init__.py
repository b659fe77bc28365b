"""The CPU component: on which cores and at which frequencies threads ran, and how much energy they used."""
