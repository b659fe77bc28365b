"""What both sides of a Perfetto trace share: its messages, and the configuration that asks for one."""
