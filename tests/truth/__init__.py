"""A discrete-event phone: threads, cores, governor, counters and the energy that they really cost.

Nothing here comes from `navitas.power` or `navitas.attribute`, which are scored against it.
"""
