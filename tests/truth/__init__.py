"""A discrete-event phone: threads, cores, governor, counters, and their exact energy.

It shares no code with `navitas.power` and `navitas.energy.attribute`, which are scored against it.
"""
