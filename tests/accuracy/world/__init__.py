"""A simulated world of phones, people and apps, in continuous time, with the truth about what drains each battery.

People sleep, go outdoors and use their phones in sessions; networks, brightness and battery saver follow. Apps run as timers,
in sessions and after them, always, or with another app. Drains add up: `drains` has their model, `battery` the charge, and
`readings` what a phone reports and when. `rows` and `histories` write that as samples, `exports` as analysts' tables.
`simulation.simulate` makes a world of a regime (`regimes`). docs/dev/fleet-world.md describes it. The package imports nothing
of Navitas.
"""
