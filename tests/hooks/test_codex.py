"""How Codex applies a patch; tests/clients compares this with the program itself."""

from __future__ import annotations

import pytest

from anypatch.hooks import apply_like_codex
from support.hooked import PATCH, SOURCE

FILES = {"a.py": SOURCE, "c": "x\n"}
MOVE_AND_DELETE = (
    "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-import os\n+import sys\n"
    "*** Delete File: c\n*** End Patch"
)


@pytest.mark.parametrize(
    ("patch", "old", "new"),
    [
        (PATCH.format("-  y = b * 2\n+  y = 3"), "    y = b * 2", "  y = 3"),
        (PATCH.format("-    return c\n+    return 1\n*** End of File"), "    return c", "    return 1"),
        (
            PATCH.replace("@@\n", "@@ def three(c):\n").format("-    return c\n+    return 1"),
            "    return c",
            "    return 1",
        ),
        (PATCH.format(" \n \n def two(b):\n+    # twice\n "), "def two(b):\n", "def two(b):\n    # twice\n"),
        (PATCH.format("+# the end"), "    return c\n", "    return c\n# the end\n"),
    ],
)
def test_an_update_takes_the_first_place(patch: str, old: str, new: str) -> None:
    assert apply_like_codex(patch, FILES) == FILES | {"a.py": SOURCE.replace(old, new)}


def test_files_are_added_moved_and_deleted() -> None:
    assert apply_like_codex(MOVE_AND_DELETE, FILES) == {"b.py": SOURCE.replace("import os", "import sys")}
    add = "*** Begin Patch\n*** Add File: d\n+1\n+2\n*** End Patch"
    assert apply_like_codex(add, FILES) == FILES | {"d": "1\n2\n"}


@pytest.mark.parametrize(
    "patch",
    [
        "nothing",
        PATCH.format(" def three(c):\n-    return c\n+    return 1"),
        PATCH.format("-import os\n+import sys\n=====\n"),
        PATCH.replace("a.py", "missing.py").format("-import os\n+import sys"),
        "*** Begin Patch\n*** Update File: a.py\n*** End Patch",
        "*** Begin Patch\n*** Delete File: missing\n*** End Patch",
        "*** Begin Patch\n*** Rename File: a.py\n*** End Patch",
    ],
)
def test_what_codex_refuses(patch: str) -> None:
    assert apply_like_codex(patch, FILES) is None
