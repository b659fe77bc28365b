"""A discrete-event phone: threads, cores, governor, counters, and their exact energy.

It shares no code with `navitas.power` and `navitas.attribute`, which are scored against it.
"""
