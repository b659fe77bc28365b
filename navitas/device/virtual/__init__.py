"""The virtual phone: adbd on loopback, a shell, services, and a kernel model with rails."""
