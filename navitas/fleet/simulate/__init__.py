"""A fleet with known truth: phones, users and apps by a model of their own (docs/fleet.md, "The simulator")."""

from navitas.fleet.simulate.acting import act, read_advice
from navitas.fleet.simulate.model import FleetModel
from navitas.fleet.simulate.simulation import simulate

__all__ = ["FleetModel", "act", "read_advice", "simulate"]
