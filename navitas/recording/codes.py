"""Stable codes of warnings and losses, for scripts (docs/json-report.md, Codes)."""

from __future__ import annotations

from typing import Literal

LossCode = Literal[
    "chunks",
    "cpu_stat_readings",
    "damaged_bytes",
    "event_file_bytes",
    "events",
    "foreign_methods",
    "handoffs",
    "hook_calls",
    "logcat_chunks",
    "malformed_records",
    "newer_chunks",
    "process_stat_readings",
    "rail_readings",
    "records",
    "shell_lines",
    "thread_ids",
    "thread_residencies",
    "thread_samples",
    "time_in_state_readings",
    "trace_lines",
    "unjoined_readings",
    "unknown_chunks",
    "unknown_components",
    "unknown_fields",
    "unknown_files",
    "unknown_hooks",
    "unknown_markers",
    "unknown_readings",
    "unknown_sources",
    "unknown_tests",
    "unknown_words",
]
"""Data that is missing from the figures. A warning with the same code describes it."""

WarningCode = (
    LossCode
    | Literal[
        "build",
        "cleanup",
        "crashed",
        "events_missing",
        "file_changed",
        "file_missing",
        "foreign_log",
        "hot",
        "loss",
        "map_unknown",
        "newer_recording",
        "no_clocks",
        "no_events",
        "no_markers",
        "no_run_end",
        "not_conserved",
        "only_baselines",
        "pace_changed",
        "partial_recording",
        "power_model",
        "power_profile",
        "probe_cost",
        "probes_large",
        "rails_disagree",
        "sampling",
        "starved",
        "state",
        "tests",
        "tests_not_listed",
        "trace",
        "trace_unreadable",
        "transport",
        "voltage",
    ]
)
"""Facts that affect how to read a recording or its figures."""
