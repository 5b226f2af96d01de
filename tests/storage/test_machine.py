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
from anypatch.storage.history import Selection
from anypatch.storage.tree import DiskTree, Settings, commit, receipts, recover, redo, undo

PATHS = ("a", "b", "d/a", "d/e/f")
TEXTS = st.sampled_from([b"", b"x\n", b"y\n", b"x\ny\n"])
WANTED = st.dictionaries(st.sampled_from(PATHS), st.none() | TEXTS, min_size=1)
CALLS = ("open", "rename", "unlink", "mkdir", "rmdir", "write", "close", "stat", "fstat", "read")
Files = dict[str, bytes]


class Death(BaseException):
    """The process ends here: no handler runs."""


class Receipt:
    """A change of the dictionary, or the undo of several, with the names of these in `undoes`.

    `made`, `ended`: in which step it was made, and when it was undone by itself.
    """

    def __init__(
        self, name: str, before: dict[str, bytes | None], after: dict[str, bytes | None], undoes: tuple[str, ...] = ()
    ) -> None:
        self.name, self.before, self.after, self.undoes, self.undone = name, before, after, undoes, False
        self.made = self.ended = 0


class Machine(RuleBasedStateMachine):
    """A tree on disk, and a dictionary of what it must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.root = tempfile.mkdtemp()
        self.files: Files = {}
        self.receipts: list[Receipt] = []
        self.step = 0

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    def tree(self) -> DiskTree:
        return DiskTree(self.root, Settings(durability="none", keep=1000))

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
        with self.tree() as tree:
            name = self.change(tree, wanted)
        assert bool(name) == any(self.files.get(path) != wanted[path] for path in wanted)
        self.follow(self.put(wanted))

    @rule(number=st.integers(0, 3))
    def undo(self, number: int) -> None:
        """Undo the last change, or all since the n-th."""
        selection, goal = self.to_undo(number)
        self.act(goal, lambda tree: undo(tree, selection))

    @rule()
    def redo(self) -> None:
        self.act(self.to_redo(), redo)

    def act(self, goal: dict[str, bytes | None] | None, action: Callable[[DiskTree], object]) -> None:
        """Undo or redo, which leads to the goal, or must be refused if there is none."""
        try:
            with self.tree() as tree:
                action(tree)
        except Refused as refused:
            assert goal is None, refused
            return
        assert goal is not None
        self.follow(self.put(goal))

    def applied(self) -> list[Receipt]:
        """Return the changes that aren't undone, newest first."""
        together = {name for receipt in self.receipts if not receipt.undone for name in receipt.undoes}
        return [
            receipt for receipt in reversed(self.receipts)
            if not receipt.undone and not receipt.undoes and receipt.name not in together
        ]  # fmt: skip

    def to_undo(self, number: int) -> tuple[Selection, dict[str, bytes | None] | None]:
        """Return the last change or the last ones, and the files before them; None if a file has changed since."""
        chosen = self.applied()[: number or 1]
        selection = Selection(since=chosen[-1].name) if number and chosen else Selection()
        goal: dict[str, bytes | None] = {}
        for path in {path for receipt in chosen for path in receipt.after}:
            here, at = self.files.get(path), 0
            about = [receipt for receipt in chosen if path in receipt.after]
            while at < len(about):
                reset = [row for row in range(at, len(about)) if about[row].before[path] == here]
                if here != about[at].after[path] and not reset:
                    return selection, None
                at, here = (at + 1, about[at].before[path]) if here == about[at].after[path] else (reset[-1] + 1, here)
            goal[path] = here
        return selection, goal if chosen else None

    def to_redo(self) -> dict[str, bytes | None] | None:
        """Return the files after what would be redone; None if there is nothing, or a file has changed since."""
        undone = {receipt.made if receipt.undoes else receipt.ended: receipt for receipt in self.receipts}
        last = max(undone) if undone else 0
        if last <= max((receipt.made for receipt in self.applied()), default=0):
            return None
        first = undone[last]
        now, goal = (first.after, first.before) if first.undoes else (first.before, first.after)
        return goal if all(self.files.get(path) == data for path, data in now.items()) else None

    def follow(self, files: Files) -> None:
        """Remember the new files, and the receipts that there are now."""
        self.step += 1
        with self.tree() as tree:
            known = {receipt.id: receipt for receipt in receipts(tree)}
        for name in sorted(known.keys() - {receipt.name for receipt in self.receipts}):
            changed = {path for path in (*self.files, *files) if self.files.get(path) != files.get(path)}
            before, after = ({path: side.get(path) for path in changed} for side in (self.files, files))
            self.receipts.append(Receipt(name, before, after, known[name].undoes))
            self.receipts[-1].made = self.step
        # An undo that was redone isn't listed any more.
        self.receipts = [receipt for receipt in self.receipts if receipt.name in known]
        for receipt in self.receipts:
            together = any(receipt.name in other.undoes for other in known.values())
            was_undone, receipt.undone = receipt.undone, known[receipt.name].undone and not together
            receipt.ended = 0 if not receipt.undone else receipt.ended if was_undone else self.step
            assert known[receipt.name].undone == (receipt.undone or together)
        self.files = files

    @rule(path=st.sampled_from(PATHS), data=st.none() | TEXTS)
    def by_hand(self, path: str, data: bytes | None) -> None:
        place = Path(self.root, path)
        if data is None:
            place.unlink(missing_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        self.files = self.put({path: data})

    @rule(wanted=WANTED, at=st.integers(1, 60), what=st.sampled_from(("apply", "undo", "undo several", "redo")))
    def crash(self, wanted: dict[str, bytes | None], at: int, what: str) -> None:
        """Die at the n-th call of a change, then recover: the files are as before or as after."""
        selection, undone = self.to_undo(2 if what == "undo several" else 0)
        goal = wanted if what == "apply" else self.to_redo() if what == "redo" else undone
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
        actions: dict[str, Callable[[DiskTree], object]] = {
            "apply": lambda tree: self.change(tree, wanted),
            "redo": redo,
        }
        act: Callable[[DiskTree], object] = actions.get(what, lambda tree: undo(tree, selection))
        for patch in patches:
            patch.start()
        try:
            act(tree)
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
        files = self.on_disk()
        assert files in (self.files, self.put(goal or {})), (what, died)
        self.follow(files)

    @invariant()
    def the_tree_is_what_it_must_be(self) -> None:
        assert self.on_disk() == self.files
        left = {name for name in os.listdir(self.root) if name.startswith(".anypatch-")}
        assert not left


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
