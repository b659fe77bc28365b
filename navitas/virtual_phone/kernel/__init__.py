"""The virtual phone's kernel: runs measured CPU time on virtual cores, keeps counters, and computes the energy (rails)."""

from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.modelled_rails import HiddenActivity
from navitas.virtual_phone.kernel.spec import PhoneSpec, load_spec

__all__ = ["HiddenActivity", "Kernel", "PhoneSpec", "load_spec"]
