"""The CPU component: what its threads ran on, when and at which frequency, and what that cost."""
