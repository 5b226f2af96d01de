"""The command mcp: bad calls, missing packages, which folders are served."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anypatch.cli.parser import parse
from anypatch.cli.serve import _bounds
from support.program import anypatch


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--http", "0.0.0.0:0"], "--allow-remote"),
        (["--http", "nowhere"], "HOST:PORT"),
        (["--root", "missing"], "it doesn't exist or is not a directory"),
        (["--http", "1:2:3"], "--allow-remote"),
    ],
)
def test_a_bad_call_is_refused(tmp_path: Path, options: list[str], error: str) -> None:
    done = anypatch("mcp", *options, cwd=tmp_path)
    assert (done.returncode, error in done.stderr.decode()) == (2, True), done.stderr


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    script = "import sys; sys.modules['mcp_types'] = None; sys.argv[1:] = ['mcp', '--http', '0']; from anypatch.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path, input=""
    )
    assert done.returncode == 2, done.stderr
    assert "python -m pip install 'mcp>=2.3,<3'" in " ".join(done.stderr.split())


def test_the_folders_that_are_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path)
    here = str(tmp_path.resolve())
    assert _bounds(parse(["mcp"])) == ((), here)
    assert _bounds(parse(["mcp", "-C", "a"])) == ((f"{here}/a",), here)
    assert _bounds(parse(["mcp", "--http", "0"])) == ((here,), here)
    monkeypatch.setenv("HOME", here)
    assert _bounds(parse(["mcp"])) == ((), ""), "the whole home is too much to serve unasked"
