"""The graph of communications between an app's modules, and its energy."""
