"""speedscope in one page that opens a report by itself, from its npm package."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
from pathlib import Path

VERSION = "1.25.0"
_SHA512 = (
    "7297fd1d64d97f58a32d7049ae4f3b55eff9e2d9d8c7aae57f48144e1be7de8a"
    "24ea1eb784b5d539088c7f8e0f4fe5e8579d3770f7ef7e24f980fe6fa23a7a02"
)
# speedscope draws by WebGL; this is the one that needs no graphics card.
WEBGL = ("--use-gl=swiftshader", "--enable-unsafe-swiftshader")
_LOADER = """
const data = document.getElementById("data").textContent;
const start = setInterval(() => {
  const input = document.getElementById("file");
  if (!input) return;
  clearInterval(start);
  const chosen = new DataTransfer();
  chosen.items.add(new File([data], "tree.speedscope.json", { type: "application/json" }));
  new MutationObserver((_, observer) => {
    if (document.getElementById("file") || document.querySelectorAll("canvas").length < 2) return;
    observer.disconnect();
    document.documentElement.dataset.page = "ready";
  }).observe(document.body, { childList: true, subtree: true });
  input.files = chosen.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}, 5);
"""


def speedscope_page(folder: Path, report: str) -> Path | None:
    """Write a page in which speedscope opens a report by itself. None if npm or its registry is not available."""
    if shutil.which("npm") is None:
        return None
    packed = subprocess.run(["npm", "pack", "--silent", f"speedscope@{VERSION}"], cwd=folder, check=False, capture_output=True)
    archive = folder / f"speedscope-{VERSION}.tgz"
    if packed.returncode or not archive.exists():
        return None
    if hashlib.sha512(archive.read_bytes()).hexdigest() != _SHA512:
        raise ValueError(f"speedscope {VERSION} has an unexpected hash; check your npm registry")
    with tarfile.open(archive) as content:
        content.extractall(folder, filter="data")
    release = folder / "package" / "dist" / "release"
    script = next(release.glob("speedscope-*.js")).read_text("utf-8").partition("\n//# sourceMappingURL=")[0]
    style = next(release.glob("speedscope-*.css")).read_text("utf-8").partition("@font-face")[0]
    embedded = report.replace("<", "\\u003c")
    path = folder / "speedscope.html"
    path.write_text(
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><style>{style}</style></head><body>'
        f'<script type="application/json" id="data">{embedded}</script>'
        f"<script>{script}</script><script>{_LOADER}</script></body></html>",
        "utf-8",
    )
    return path
