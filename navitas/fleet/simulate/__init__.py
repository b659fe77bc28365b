"""A simulated fleet with known truth: phones, users and apps from a random model (docs/dev/fleet-simulator.md)."""

from navitas.fleet.simulate.acting import act, read_advice
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate

__all__ = ["FleetModel", "act", "read_advice", "simulate"]
