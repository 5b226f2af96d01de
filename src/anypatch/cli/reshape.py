"""Options that change the patch: --reverse, a subfolder, and what --only, --fix and --file OLD=PATH choose."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING

from ..model import Delete, Edit, EditBody, Hunk, Move, Op, Patch, Write, paths_of, signed_hunk, with_paths
from ..problems import Problem, Refused
from ..report.words import many

if TYPE_CHECKING:
    from ..reviewing.review import Review


def reshaped(args: Namespace, patch: Patch) -> Patch:
    """Return the patch as the options change it."""
    if args.subfolder:
        patch = _from_subfolder(patch, args.root, args.subfolder)
    if args.reverse:  # a sketch has no inverse
        patch = patch._replace(sketches=(), blocks=tuple(b for b in patch.blocks if b.read_as != "sketch"))
    return patch._replace(ops=tuple(_inverse(op) for op in reversed(patch.ops))) if args.reverse else patch


def is_reshaped(args: Namespace) -> bool:
    """Return True if an option changes the patch."""
    return bool(args.subfolder or args.reverse)


# ── decisions that a person makes in a review, as options ────────────────────────────────────────


def is_decided(args: Namespace) -> bool:
    """Return True if options decide what of the answer is taken."""
    return bool(args.only or args.fix is not None or any(old for old, _ in args.paths or ()))


def decided(args: Namespace, review: Review) -> Patch:
    """Return the patch with the paths, corrections, alternatives and edits that the options choose."""
    for old, new in args.paths or ():
        review = review.use_path(old, _from_root(new, args)) if old else review
    if args.fix is not None:
        review = _with_options(review, args.fix)
    patch, numbers = review.full_plan.patch, args.only
    if not numbers:
        return patch
    count = len(review.request.patch.ops) + len(review.request.patch.sketches)
    if max(numbers) > count:
        raise Refused(Problem("bad_call", f"--only {_listed(numbers)}: the answer has {many(count, 'edit')}"))
    for choice in review.choices:
        taken = [at for at, edit in enumerate(choice.edits, 1) if edit in numbers]
        if choice.chosen is None and len(taken) == 1:
            review = review.choose(choice.id, taken[0])
    return review.only(numbers)


def _from_root(path: str, args: Namespace) -> str:
    inner = f"{args.subfolder}/{path}" if args.subfolder else ""
    return inner if inner and os.path.lexists(os.path.join(args.root, inner)) else path


def _with_options(review: Review, numbers: list[int]) -> Review:
    """Take the options with these numbers, and every correction that is the only one."""
    last = max((option.number for choice in review.choices for option in choice.options), default=0)
    if numbers and max(numbers) > last:
        detail = f"--fix={_listed(numbers)}: the report shows {many(last, 'correction')} to choose from"
        raise Refused(Problem("bad_call", detail))
    for choice in review.choices:
        chosen = [at for at, option in enumerate(choice.options, 1) if option.number in numbers]
        chosen = [1] if choice.kind == "corrected" and len(choice.options) == 1 else chosen
        if len(chosen) == 1:  # two of one choice contradict each other: it stays open
            review = review.choose(choice.id, chosen[0])
    return review


def _listed(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


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
