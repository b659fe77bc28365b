"""The properties file with the settings of the runtime inside the app (docs/dev/formats.md)."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.capture.collect.options import ProfileOptions
from navitas.recording import manifest

FOLDER = "/data/local/tmp/navitas"
SUFFIX = ".properties"


def properties(
    options: ProfileOptions, sources: Sequence[manifest.Source], out: str, repeat: int, *, probes: bool = True
) -> bytes:
    """Return the configuration as Java properties, UTF-8. Without `probes`, the runtime records no calls."""
    settings = {
        "out": out,
        "repeat": str(repeat),
        "transport": options.transport,
        "mode": options.mode if probes and options.mode != "sample" else "none",
        **({"blocks": "true"} if options.granularity == "block" else {}),
        "hooks": "true" if options.record in ("hooks", "both") else "false",
        "eventBudgetBytes": str(options.event_budget_bytes),
        "sampleIntervalMs": str(options.cpu_interval_ms),
        "ioIntervalMs": str(options.io_interval_ms),
        **{f"source.{source.id}": source.path for source in sources},
    }
    escapes = str.maketrans({"\\": "\\\\", "\n": "\\n"})
    return "".join(f"{key}={value.translate(escapes)}\n" for key, value in settings.items()).encode()
