"""What options make of a patch before it is looked up: one of its edits, its inverse, paths from a subfolder."""

from __future__ import annotations

import os

from ..model import Delete, Edit, Hunk, Move, Op, Patch, Said, Swap, Write
from ..problems import Problem, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .options import Call


def shaped(patch: Patch, call: Call) -> Patch:
    """What the options of a call make of a patch."""
    patch = from_folder(patch, call.root, call.below) if call.below else patch
    patch = chosen(patch, call.given["only"]) if call.has("only") else patch
    return reversed_patch(patch) if call.has("reverse") else patch


def chosen(patch: Patch, numbers: str) -> Patch:
    """The patch with the edits of these numbers only, as in `1,3`."""
    wanted = [int(number) for number in numbers.split(",")]
    if max(wanted) > len(patch.ops):
        there = "1 edit" if len(patch.ops) == 1 else f"{len(patch.ops)} edits"
        raise Refused(Problem("bad_call", f"--only {numbers}: the answer has {there}"))
    return patch._replace(ops=tuple(op for number, op in enumerate(patch.ops, 1) if number in wanted))


def from_folder(patch: Patch, root: str, below: str) -> Patch:
    """The patch with paths that are meant from a folder below the root, where files are there and not below the root.

    In shop/, with the root above it: `cart.py` is shop/cart.py, if there is no other cart.py in the root itself. A new
    file stands beside the files it comes with.
    """
    moved: dict[str, str] = {}
    for path in _paths(patch):
        inner = os.path.normpath(f"{below}/{path}")
        at_root, at_folder = os.path.lexists(os.path.join(root, path)), os.path.lexists(os.path.join(root, inner))
        if at_root and at_folder and inner != path:
            detail = f"there is a {path} in {below}/ and one at the root of the tree"
            raise Refused(Problem("ambiguous", detail, path, advice="Name the root.", command="-C DIR does that."))
        if at_folder and not at_root:
            moved[path] = inner
    if moved:
        for path in _paths(patch):
            if path not in moved and not os.path.lexists(os.path.join(root, path)):
                moved[path] = os.path.normpath(f"{below}/{path}")
    return patch._replace(ops=tuple(_renamed(op, moved) for op in patch.ops))


def _paths(patch: Patch) -> list[str]:
    found = [path for op in patch.ops for path in (op.path, op.to if isinstance(op, Move) else "") if path]
    return [path for path in dict.fromkeys(found) if not path.startswith(("/", "../")) and "#" not in path]


def _renamed(op: Op, moved: dict[str, str]) -> Op:
    if isinstance(op, Move):
        return op._replace(path=moved.get(op.path, op.path), to=moved.get(op.to, op.to))
    return op._replace(path=moved.get(op.path, op.path))


# ── the inverse ──────────────────────────────────────────────────────────────────────────────────


def reversed_patch(patch: Patch) -> Patch:
    """The patch that takes this one back, where it says what stood there; Refused where it doesn't."""
    return patch._replace(ops=tuple(_reversed(op) for op in reversed(patch.ops)))


def _reversed(op: Op) -> Op:
    if isinstance(op, Edit) and not op.mode:
        return op._replace(hunks=tuple(_turned(said, op.path) for said in op.hunks), whole=None)
    if isinstance(op, Write) and not (op.overwrite or op.keep or op.mode):
        lines = op.text.removesuffix("\n").split("\n") if op.text else []
        unended = bool(op.text) and not op.text.endswith("\n")
        return Delete(op.path, op.patch_line, old=tuple(lines), whole=True, unended=unended)
    if isinstance(op, Delete) and op.whole and op.old:
        return Write(op.path, "\n".join(op.old) + ("" if op.unended else "\n"), patch_line=op.patch_line)
    if isinstance(op, Move) and not op.keeps:
        return op._replace(path=op.to, to=op.path)
    raise _cannot(op.path, op.patch_line)


def _turned(said: Said, path: str) -> Said:
    """A hunk with old and new exchanged; its own claims on how the file ends with them."""
    if isinstance(said, Swap) and said.new:
        return said._replace(old=said.new, new=said.old)
    if not isinstance(said, Hunk) or not said.new:
        raise _cannot(path, said.patch_line)
    lines: list[tuple[str, str]] = []
    run: list[tuple[str, str]] = []
    for tag, text in (*said.lines, (" ", "")):
        if tag != " ":
            run.append(("-" if tag == "+" else "+", text))
            continue
        lines += sorted(run, key=lambda one: one[0] == "+")  # what goes stands above what comes
        lines.append((tag, text))
        run = []
    final = {"lost": "made", "made": "lost"}.get(said.where.final, "")
    where = said.where._replace(final=final)
    return Hunk(tuple(lines[:-1]), where, said.policy, said.patch_line)


def _cannot(path: str, line: int) -> Refused:
    detail = "the edit can't be reversed: it doesn't say what was there before"
    return Refused(Problem("cannot_say", detail, path, line, advice="Undo the change, or write the inverse by hand."))
