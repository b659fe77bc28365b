"""The virtual phone: adbd on a Unix socket, a shell, services, and a kernel model with rails."""
