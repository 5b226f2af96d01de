"""The documents are true: generated pages are up to date, every kind is produced somewhere, the README's commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from anypatch.cli.options import COMMANDS
from anypatch.problems import KINDS
from support.cases import load

TOP = Path(__file__).parent.parent


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(TOP / "tools" / "docs.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_kind_is_produced_by_a_case_or_a_test() -> None:
    shown: set[str] = set()
    for case in (param.values[0] for folder in ("cases", "harm") for param in load(folder)):
        kinds = case.get("refused", case.get("error", []))
        shown |= {kinds} if isinstance(kinds, str) else set(kinds)
    tests = "".join(path.read_text(encoding="utf-8") for path in (TOP / "tests").rglob("test_*.py"))
    assert [kind for kind in KINDS if kind not in shown and f'"{kind}"' not in tests] == []


def test_commands_in_the_documents_exist() -> None:
    known = {command.name for command in COMMANDS} | {"--version", "--help", "COMMAND", "[OPTION"}
    for page in (TOP / "README.md", *(TOP / "docs").glob("*.md")):
        for word in re.findall(r"^(?:\$ | {4})anypatch (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert word in known, f"{page.name} names anypatch {word}"


def test_architecture_is_short() -> None:
    assert (TOP / "ARCHITECTURE.md").read_text(encoding="utf-8").count("\n") < 120


def test_no_machine_is_named() -> None:
    """Files that users read name no path of a machine."""
    for page in (*TOP.glob("*.md"), *(TOP / "docs").glob("*.md")):
        assert not re.search(r"/(?:root|home|work|tmp)/", page.read_text(encoding="utf-8")), page
