"""The virtual phone's kernel: measured CPU time on virtual cores, the counters that follow, and the energy spent (rails)."""

from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.spec import PhoneSpec, load_spec

__all__ = ["Kernel", "PhoneSpec", "load_spec"]
