"""The phone's state while it is measured: what is set for it and given back, and whether it is fit to be measured."""
