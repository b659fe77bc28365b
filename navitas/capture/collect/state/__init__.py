"""The phone's state: what a measurement sets and restores, and whether the phone is fit to be measured."""
