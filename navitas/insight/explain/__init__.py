"""What uses the energy, and the evidence for it: of a recording, or of one test, method, thread or component."""
