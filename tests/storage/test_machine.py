"""Apply, undo, redo, edits by hand, crashes and recovery in any order, compared with a dictionary of the files."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from anypatch.model import File, FileChange
from anypatch.problems import Refused
from anypatch.storage import syscalls
from anypatch.storage.tree import DiskTree, Settings, commit, receipts, recover, redo, undo

PATHS = ("a", "b", "d/a", "d/e/f")
TEXTS = st.sampled_from([b"", b"x\n", b"y\n", b"x\ny\n"])
WANTED = st.dictionaries(st.sampled_from(PATHS), st.none() | TEXTS, min_size=1)
CALLS = ("open", "rename", "unlink", "mkdir", "rmdir", "write", "close", "stat", "fstat", "read")
Files = dict[str, bytes]


class Death(BaseException):
    """The process ends here: no handler runs."""


class Receipt:
    """A change of the dictionary."""

    def __init__(self, name: str, before: dict[str, bytes | None], after: dict[str, bytes | None]) -> None:
        self.name, self.before, self.after, self.undone = name, before, after, False


class Machine(RuleBasedStateMachine):
    """A tree on disk, and a dictionary of what it must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.root = tempfile.mkdtemp()
        self.files: Files = {}
        self.receipts: list[Receipt] = []

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    def tree(self) -> DiskTree:
        return DiskTree(self.root, Settings(durability="none"))

    def on_disk(self) -> Files:
        root = Path(self.root)
        return {
            p.relative_to(root).as_posix(): p.read_bytes()
            for p in root.rglob("*")
            if p.is_file() and ".anypatch" not in p.parts
        }

    def put(self, wanted: dict[str, bytes | None]) -> Files:
        """Return the files after some of them have changed."""
        files = {**self.files, **{path: data for path, data in wanted.items() if data is not None}}
        return {path: data for path, data in files.items() if wanted.get(path, b"") is not None}

    def change(self, tree: DiskTree, wanted: dict[str, bytes | None]) -> str:
        changes = tuple(
            FileChange(path, tree.read(path), None if data is None else File(data)) for path, data in wanted.items()
        )
        return commit(tree, changes, format="", description="").id

    @rule(wanted=WANTED)
    def apply(self, wanted: dict[str, bytes | None]) -> None:
        before = {path: self.files.get(path) for path in wanted}
        with self.tree() as tree:
            name = self.change(tree, wanted)
        self.files = self.put(wanted)
        changed = {path for path in wanted if before[path] != wanted[path]}
        assert bool(name) == bool(changed)
        if name:
            kept = ({path: side[path] for path in changed} for side in (before, wanted))
            self.receipts.append(Receipt(name, *kept))

    def reverse(self, receipt: Receipt | None, act: Callable[[DiskTree], object], undone: bool) -> None:
        """Undo or redo, which is allowed only if every file is as the receipt left it."""
        goal = (receipt.before if undone else receipt.after) if receipt else {}
        now = (receipt.after if undone else receipt.before) if receipt else {}
        allowed = receipt is not None and all(self.files.get(path) == data for path, data in now.items())
        try:
            with self.tree() as tree:
                act(tree)
        except Refused as refused:
            assert not allowed, refused
            return
        assert allowed and receipt is not None
        receipt.undone = undone
        self.files = self.put(goal)

    @rule()
    def undo(self) -> None:
        self.reverse(self.to_undo(), undo, undone=True)

    @rule()
    def redo(self) -> None:
        self.reverse(self.to_redo(), redo, undone=False)

    def to_undo(self) -> Receipt | None:
        return next((receipt for receipt in reversed(self.receipts) if not receipt.undone), None)

    def to_redo(self) -> Receipt | None:
        last = self.to_undo()
        return next(
            (receipt for receipt in self.receipts if receipt.undone and (not last or receipt.name > last.name)), None
        )

    @rule(path=st.sampled_from(PATHS), data=st.none() | TEXTS)
    def by_hand(self, path: str, data: bytes | None) -> None:
        place = Path(self.root, path)
        if data is None:
            place.unlink(missing_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        self.files = self.put({path: data})

    @rule(wanted=WANTED, at=st.integers(1, 60), what=st.sampled_from(("apply", "undo", "redo")))
    def crash(self, wanted: dict[str, bytes | None], at: int, what: str) -> None:
        """Die at the n-th call of a change, then recover: the files are as before or as after."""
        count = [0]

        def deadly(real: Callable[..., object]) -> Callable[..., object]:
            def called(*arguments: object, **named: object) -> object:
                count[0] += 1
                if count[0] >= at:
                    raise Death
                return real(*arguments, **named)

            return called

        died = False
        patches = [mock.patch.object(os, name, deadly(getattr(os, name))) for name in CALLS]
        patches += [
            mock.patch.object(syscalls, name, deadly(getattr(syscalls, name)))
            for name in ("exchange", "rename_noreplace")
        ]
        tree = self.tree()
        act = {"apply": lambda tree: self.change(tree, wanted), "undo": undo, "redo": redo}[what]
        for patch in patches:
            patch.start()
        try:
            act(tree)  # type: ignore[operator]
        except Death:
            died = True
        except Refused:
            pass
        finally:
            for patch in patches:
                patch.stop()
        tree.close()
        with self.tree() as again:
            recover(again)
        self.settle(died, wanted, what)

    def settle(self, died: bool, wanted: dict[str, bytes | None], what: str) -> None:
        """Check that the files are one of the two states, and follow the receipts."""
        files, undone, redone = self.on_disk(), self.to_undo(), self.to_redo()
        goals = {
            "apply": wanted,
            "undo": undone.before if undone else {},
            "redo": redone.after if redone else {},
        }
        assert files in (self.files, self.put(goals[what])), (what, died)
        with self.tree() as tree:
            known = {receipt.id: receipt for receipt in receipts(tree)}
        for name in sorted(known.keys() - {receipt.name for receipt in self.receipts}):
            changed = {path for path in wanted if self.files.get(path) != wanted[path]}
            sides = ({path: side.get(path) for path in changed} for side in (self.files, wanted))
            self.receipts.append(Receipt(name, *sides))
        for receipt in self.receipts:
            receipt.undone = known[receipt.name].undone
        self.files = files

    @invariant()
    def the_tree_is_what_it_must_be(self) -> None:
        assert self.on_disk() == self.files
        left = {name for name in os.listdir(self.root) if name.startswith(".anypatch-")}
        assert not left


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
