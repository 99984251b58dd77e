"""What becomes of places of stores when a program ends."""

from __future__ import annotations

import subprocess
import sys


def test_what_stands_for_no_store_is_closed_at_the_end_of_a_program() -> None:
    program = "from evolore.store.location import nothing; n = nothing(); type(n).close = lambda self: print('closed')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["closed"])
