"""The virtual phone: an adb daemon on a Unix socket, a shell, system services, and a kernel model with power rails."""
