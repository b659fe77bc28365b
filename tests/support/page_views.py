"""What tests of the report page in a browser share: the data of the page, its energies by a plain walk, and what it shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from support.page_browser import Opened
from support.page_sample import page_sample

Data = dict[str, Any]
Open = Callable[..., Opened]
DATA = page_sample(baseline=True)
SMALL = page_sample(120, 3, 12, baseline=True)
METHOD = 3
_FACTORS = {"J": 1e6, "mJ": 1e3, "µJ": 1.0, "nJ": 1e-3}
BREAKS_IN_WORDS = """
(() => {
  const broken = [];
  const size = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()].filter((box) => box.width > 0);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility() || parent.closest("script, style, select, svg")) continue;
    const space = parent.closest("td, th, p, li, h1, h2, h3, summary, div, label, button, section").clientWidth;
    for (const word of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const boxes = size(node, word.index, word.index + word[0].length);
      const lines = new Set(boxes.map((box) => Math.round(box.top)));
      const width = boxes.reduce((sum, box) => sum + box.width, 0);
      if (lines.size > 1 && width < space - 20) broken.push(word[0]);
    }
  }
  return broken;
})()
"""


def joules(text: str) -> float:
    """The first energy of a text, in µJ."""
    figure = re.search(r"([-+\d.]+) ([mµn]?J)", text)
    assert figure, text
    return float(figure[1]) * _FACTORS[figure[2]]


def is_close(text: str, uj: float) -> bool:
    """Return whether the first energy of a text is a rounded one."""
    return abs(joules(text) - uj) <= 0.006 * abs(uj) + 1e-3


def energy_of(data: Data, *, component: str = "", during: tuple[float, float] | None = None, **choice: str) -> float:
    """The energy of a selection, by a plain walk through all nodes: `test` and `thread` by name, `full` for calls below a method,
    `module`, and `word` of a name."""
    nodes, methods, names = data["nodes"], data["methods"], data["threads"]["name"]
    wifi = dict(zip(nodes["by"]["wifi"]["node"], nodes["by"]["wifi"]["uj"], strict=True))
    edges = data["bins"]["run"][0]["edges_ms"]
    energy = list(nodes["self_uj"])
    if during:
        energy = [0.0] * len(energy)
        for node, number, uj in zip(data["bins"]["node"], data["bins"]["bin"], data["bins"]["uj"], strict=True):
            low, high = edges[number : number + 2]
            energy[node] += uj * max(min(high, during[1]) - max(low, during[0]), 0) / (high - low)
    if component:
        energy = [uj if component == "cpu" else 0.0 for uj in energy]
        for node, uj in wifi.items():
            energy[node] += -uj if component == "cpu" else uj

    def chosen(node: int) -> bool:
        above = node
        while above >= 0:
            method = nodes["method"][above]
            texts = [data["tests"]["label"][nodes["test"][above]], names[nodes["thread"][above]]]
            texts += [methods[column][method] for column in ("label", "full", "source")] if method >= 0 else []
            full, module = (methods["full"][method], data["modules"][methods["module"][method]]) if method >= 0 else ("", "")
            has_full, has_module = choice.get("full", full) == full, choice.get("module", module) == module
            if has_full and has_module and ("word" not in choice or choice["word"] in " ".join(texts).lower()):
                return True
            above = nodes["parent"][above]
        return False

    total = 0.0
    for node, uj in enumerate(energy):
        thread = names[nodes["thread"][node]]
        is_thread = thread == choice["thread"] if "thread" in choice else data["threads"]["app"][nodes["thread"][node]]
        is_test = "test" not in choice or data["tests"]["label"][nodes["test"][node]] == choice["test"]
        if is_thread and is_test and chosen(node):
            total += uj
    return total


def choose(opened: Opened, label: str, value: str) -> None:
    """Choose a value in a list of the bar."""
    opened.page.get_by_role("combobox", name=label, exact=True).select_option(value)


def summary(opened: Opened) -> str:
    """Return what the bar says of the selection."""
    return opened.text("#filters .summary")
