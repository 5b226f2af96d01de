"""Options that change the patch before it is planned: --only, --reverse, and paths from a subfolder."""

from __future__ import annotations

import os
from argparse import Namespace

from ..model import Delete, Edit, EditBody, Hunk, Move, Op, Patch, Write, paths_of, signed_hunk, with_paths
from ..problems import Problem, Refused
from ..report.words import many


def reshaped(args: Namespace, patch: Patch) -> Patch:
    """Return the patch as the options change it."""
    if args.subfolder:
        patch = _from_subfolder(patch, args.root, args.subfolder)
    if args.only:
        patch = _only(patch, args.only)
    if args.only or args.reverse:  # a sketch has neither a number nor an inverse
        patch = patch._replace(sketches=(), blocks=tuple(b for b in patch.blocks if b.read_as != "sketch"))
    return patch._replace(ops=tuple(_inverse(op) for op in reversed(patch.ops))) if args.reverse else patch


def is_reshaped(args: Namespace) -> bool:
    """Return True if an option changes the patch."""
    return bool(args.subfolder or args.only or args.reverse)


def _only(patch: Patch, numbers: list[int]) -> Patch:
    if max(numbers) > len(patch.ops):
        given = ",".join(map(str, numbers))
        raise Refused(Problem("bad_call", f"--only {given}: the answer has {many(len(patch.ops), 'edit')}"))
    return patch._replace(ops=tuple(op for number, op in enumerate(patch.ops, 1) if number in numbers))


def _from_subfolder(patch: Patch, root: str, subfolder: str) -> Patch:
    """Prepend the subfolder to paths that exist there and not at the root.

    In shop/, `cart.py` is shop/cart.py if the root has no cart.py of its own. A new file goes where the files are that
    it comes with.
    """
    paths = dict.fromkeys(path for op in patch.ops for path in paths_of(op))
    inner = {path: os.path.normpath(f"{subfolder}/{path}") for path in paths if _may_be_inner(path)}
    at_root = {path for path in inner if os.path.lexists(os.path.join(root, path))}
    at_subfolder = {path for path in inner if os.path.lexists(os.path.join(root, inner[path]))}
    for path in sorted(at_root & at_subfolder):
        if inner[path] != path:
            detail = f"there is a {path} in {subfolder}/ and one at the root of the tree"
            raise Refused(Problem("ambiguous", detail, path, advice="Name the root.", command="-C DIR does that."))
    moved = {path: inner[path] for path in inner if path not in at_root} if at_subfolder - at_root else {}
    return patch._replace(ops=tuple(with_paths(op, lambda path: moved.get(path, path)) for op in patch.ops))


def _may_be_inner(path: str) -> bool:
    return bool(path) and not path.startswith(("/", "../")) and "#" not in path


# ── the inverse ──────────────────────────────────────────────────────────────────────────────────


def _inverse(op: Op) -> Op:
    """Return the operation that undoes another, if that says what was there before; else raise Refused."""
    if isinstance(op, Edit) and not op.mode:
        return op._replace(hunks=tuple(_inverse_hunk(hunk, op.path) for hunk in op.hunks), whole=None)
    if isinstance(op, Write) and not (op.overwrite or op.keep_line_endings or op.mode):
        return _deletion(op)
    if isinstance(op, Delete) and op.whole and op.old:
        return Write(op.path, "\n".join(op.old) + ("" if op.no_final_newline else "\n"), patch_line=op.patch_line)
    if isinstance(op, Move) and not op.is_copy:
        return op._replace(path=op.to, to=op.path)
    raise _no_inverse(op.path, op.patch_line)


def _deletion(op: Write) -> Delete:
    """Return the deletion of a file that a patch creates, if it still has that text."""
    lines = tuple(op.text.removesuffix("\n").split("\n")) if op.text else ()
    unended = bool(op.text) and not op.text.endswith("\n")
    return Delete(op.path, op.patch_line, old=lines, whole=True, no_final_newline=unended)


def _inverse_hunk(hunk: EditBody, path: str) -> EditBody:
    """Exchange the old and the new text of a hunk, and what it says about the file's last newline."""
    if not isinstance(hunk, Hunk) or not hunk.new:
        raise _no_inverse(path, hunk.patch_line)
    if not hunk.signed:
        return hunk._replace(old=hunk.new, new=hunk.old)
    lines: list[tuple[str, str]] = []
    removed: list[tuple[str, str]] = []
    added: list[tuple[str, str]] = []
    for tag, text in (*hunk.lines, (" ", "")):
        if tag == "+":
            removed.append(("-", text))
        elif tag == "-":
            added.append(("+", text))
        else:
            lines += [*removed, *added, (tag, text)]
            removed, added = [], []
    final = {"removed": "added", "added": "removed"}.get(hunk.claims.final_newline, "")
    return signed_hunk(lines[:-1], hunk.policy, hunk.claims._replace(final_newline=final), hunk.patch_line)


def _no_inverse(path: str, line: int) -> Refused:
    detail = "the edit can't be reversed: it doesn't say what was there before"
    return Refused(Problem("cannot_say", detail, path, line, advice="Undo the change, or write the inverse by hand."))
