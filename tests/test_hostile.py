"""The hostile corpus: nothing written or read outside the root, nothing in .git, no hang, no traceback, no half patch."""

from __future__ import annotations

import os
import runpy
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import anypatch
from anypatch import api
from anypatch.problems import KINDS
from support.disk_trees import Snapshot
from support.hostile import FORBIDDEN, NOT_NEW, ODD, SECRET, WHOLE, world, written


def seen(top: Path) -> Snapshot:
    """Return every entry with its mode, size and content; links unread, large and special files without content."""
    entries: Snapshot = {}
    for place, folders, names in os.walk(top):
        if ".anypatch" in folders:
            folders.remove(".anypatch")
        for name in (*folders, *names):
            path = Path(place, name)
            facts = path.lstat()
            content = b""
            if path.is_symlink():
                content = os.fsencode(os.readlink(path))
            elif path.is_file() and facts.st_size < 1 << 20:
                content = path.read_bytes()
            size = 0 if path.is_dir() else facts.st_size  # on tmpfs a folder's size changes with its entries
            entries[str(path.relative_to(top))] = (oct(facts.st_mode), content, size)
    return entries


def outside(entries: Snapshot) -> Snapshot:
    """Return what no patch may touch."""
    return {name: entry for name, entry in entries.items() if not name.startswith("root/") or "/.git" in name}


@pytest.fixture(autouse=True)
def no_hang() -> Iterator[None]:
    """Fail instead of waiting for a patch that hangs."""

    def too_long(*_: object) -> None:
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_the_fuzzer_finds_its_seeds(tmp_path: Path) -> None:
    run = runpy.run_path(str(Path(__file__).parent / "fuzz/run.py"))
    run["seeds"](tmp_path)
    assert len(list(tmp_path.iterdir())) > 500
    for name in (format.name for format in api.formats()):
        run["parser"](name)("x")


class Trap:
    """A tree with traps, and its entries at first; created again after a change."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        self.renew()

    def renew(self) -> None:
        self.number += 1
        self.top = self.folder / str(self.number)
        self.root = world(self.top)
        self.before = seen(self.top)

    def spring(self, patch: str, what: str) -> bool:
        """Apply a patch; return True if it was refused."""
        report = anypatch.apply(patch, self.root, settings=anypatch.Settings(durability="none"))
        after = seen(self.top)
        assert outside(after) == outside(self.before), what
        shown = repr(report.problems) + report.for_model()
        echoed = report.status == "proposed" and "the secret" in patch  # it sent that itself
        assert report.ok or "the secret" not in shown or "root/" in what or echoed, what
        assert all(problem.kind in KINDS for problem in report.problems), what
        if not report.ok:
            assert after == self.before, what
            assert KINDS[report.problems[0].kind].exit in (1, 2), what
        elif after != self.before:
            self.renew()
        return not report.ok


@pytest.mark.parametrize("path", FORBIDDEN, ids=lambda path: ascii(path)[:40])
def test_a_path_that_may_not_be_touched(tmp_path: Path, path: str) -> None:
    trap = Trap(tmp_path)
    for name, patch in written(trap.top, path).items():
        # As each is refused, the tree that they name stays the same.
        assert trap.spring(patch, f"{name}: {path!r}"), f"{name}: {path!r} was not refused"


@pytest.mark.parametrize("path", NOT_NEW, ids=ascii)
def test_a_name_that_may_not_be_created(tmp_path: Path, path: str) -> None:
    trap = Trap(tmp_path)
    for name, patch in written(trap.top, path).items():
        trap.spring(patch, f"{name}: {path!r}")
        assert path not in {os.path.relpath(entry, trap.root) for entry in trap.root.rglob("*")}, name


@pytest.mark.parametrize("path", ODD, ids=ascii)
def test_an_odd_name_is_only_a_name(tmp_path: Path, path: str) -> None:
    trap = Trap(tmp_path)
    for name, patch in written(trap.top, path).items():
        trap.spring(patch, f"{name}: {path!r}")
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize("name", WHOLE)
def test_a_hostile_patch(tmp_path: Path, name: str) -> None:
    trap = Trap(tmp_path)
    trap.spring(WHOLE[name], name)
    assert not list(tmp_path.rglob("pwned")) and not list(tmp_path.rglob("stolen"))
    for place in (trap.root / "a", trap.root / "evil"):
        assert not place.is_symlink()
    if (trap.root / "a").exists():
        assert (trap.root / "a").stat().st_mode & 0o7000 == 0


def test_the_corpus_is_large_enough(tmp_path: Path) -> None:
    paths = (*FORBIDDEN, *NOT_NEW, *ODD)
    counts = Counter(name.split()[0] for path in paths for name in written(tmp_path, path))
    assert set(counts) == {format.name for format in api.formats()} and min(counts.values()) >= len(paths), counts
    assert counts.total() + len(WHOLE) >= 2000 and SECRET
