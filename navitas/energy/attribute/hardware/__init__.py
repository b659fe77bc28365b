"""All components but the CPU: what used them, and the energy of that."""
