"""The application for `spark-submit`: its arguments are those of the command `navitas`.

It imports only the installed Navitas, so that a cluster can run a copy of this file alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Python adds the file's folder, whose modules are no packages of their own.
    sys.path = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
    from navitas.cli.main import main

    main()
