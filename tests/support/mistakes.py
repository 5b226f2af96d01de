"""Generate patches with the mistakes that models make: changes of real files, written in each format, then spoilt.

`cases` generates them from a `random.Random`, so that a seed reproduces a case; `judge` applies one. Only the right bytes,
or a refusal that changes nothing, will do. A mistake that turns a patch into a good one for something else isn't generated.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import anypatch
from anypatch import PatchError, api
from anypatch.api import format_given
from anypatch.author.resend import write_ops
from anypatch.model import Edit, File, FileChange, Patch
from anypatch.problems import Refused
from support.spoils import (
    FLUSH,
    HUNK_SPOILS,
    PATHS,
    TEXT_SPOILS,
    WRITERS,
    Lines,
    Piece,
    Spoiler,
    Spoilt,
    aligned,
    indent_of,
    is_old,
    one_line,
    slipped,
)

Tree = dict[str, bytes]


WHOLE = ('"content":', "create_file", "create-file")  # signs of a whole file in a format of edits


class Splice(NamedTuple):
    """Lines start..end of the file become `new`."""

    start: int
    end: int
    new: list[str]


class Change(NamedTuple):
    """A file's lines, what happens to them, and how its lines end."""

    path: str
    lines: list[str]
    splices: list[Splice]
    eol: str = "\n"
    final: bool = True

    def data(self, lines: list[str]) -> bytes:
        text = self.eol.join(lines) + (self.eol if self.final and lines else "")
        return text.encode("utf-8", "surrogateescape")

    @property
    def before(self) -> bytes:
        return self.data(self.lines)

    @property
    def after(self) -> bytes:
        return self.data(changed(self.lines, self.splices))


class Case(NamedTuple):
    """A patch for a tree. `right`: the trees that are right. `one`: it has one reading, so refusing it is a loss."""

    format: str
    spoil: str
    tree: Tree
    text: str
    right: list[Tree]
    one: bool
    named: bool


def changed(lines: list[str], splices: list[Splice]) -> list[str]:
    result = list(lines)
    for splice in sorted(splices, reverse=True):
        result[splice.start : splice.end] = splice.new
    return result


# ── changes ──────────────────────────────────────────────────────────────────────────────────────


def make_change(path: str, text: str, rng: random.Random) -> Change | None:
    """Return one to three edits of a file, as a programmer makes them, or None if the file has no place for any."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if rng.random() < 0.2:  # trailing spaces, which patches lose
        lines = [line + "  " if rng.random() < 0.2 else line for line in lines]
    spots = [at for at, line in enumerate(lines) if line.strip() and len(line) < 160]
    splices: list[Splice] = []
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        for _ in range(10):
            splice = rng.choice(EDITS)(lines, rng.choice(spots), rng) if spots else None
            if splice and lines[splice.start : splice.end] != splice.new and is_apart(splice, splices):
                splices.append(splice)
                break
    if not splices:
        return None
    eol = "\r\n" if rng.random() < 0.1 and "\r" not in text else "\n"
    change = Change(path, lines, sorted(splices), eol, rng.random() > 0.1)
    return change if change.before != change.after else None


def is_apart(splice: Splice, others: list[Splice]) -> bool:
    return all(splice.end + 1 < other.start or other.end + 1 < splice.start for other in others)


def rename(lines: list[str], at: int, rng: random.Random) -> Splice | None:
    names = re.findall(r"\b[a-z_][a-z_0-9]{2,}\b", lines[at])
    if not names:
        return None
    name, end = rng.choice(names), min(at + rng.randint(1, 6), len(lines))
    new = [re.sub(rf"\b{name}\b", name + rng.choice(["_count", "2", "_new"]), line) for line in lines[at:end]]
    while end > at + 1 and new[-1] == lines[end - 1]:
        end, new = end - 1, new[:-1]
    return Splice(at, end, new)


def constant(lines: list[str], at: int, rng: random.Random) -> Splice | None:
    new = re.sub(r"\d+", lambda number: str(int(number[0]) + rng.randint(1, 9)), lines[at], count=1)
    return Splice(at, at + 1, [new])


def added(lines: list[str], at: int, rng: random.Random) -> Splice:
    return Splice(at, at, invented(indent_of(lines[at]), rng.randint(1, 4), rng))


def removed(lines: list[str], at: int, rng: random.Random) -> Splice:
    return Splice(at, min(at + rng.randint(1, 3), len(lines)), [])


def replaced(lines: list[str], at: int, rng: random.Random) -> Splice:
    new = invented(indent_of(lines[at]), rng.randint(1, 5), rng)
    return Splice(at, min(at + rng.randint(1, 5), len(lines)), new)


def function(lines: list[str], at: int, rng: random.Random) -> Splice | None:
    if at == 0 or lines[at - 1].strip():
        return None
    pad = indent_of(lines[at])
    unit = (
        "\t"
        if any(line.startswith("\t") for line in lines)
        else ("  " if any(re.match("  [^ ]", line) for line in lines) else "    ")
    )
    body = [f"{pad}def helper{rng.randint(1, 99)}(value):", f"{pad}{unit}if value:", f"{pad}{unit}{unit}return value"]
    return Splice(at, at, [*body, f"{pad}{unit}return None", ""])


def invented(pad: str, count: int, rng: random.Random) -> list[str]:
    words = ["total", "queue", "seen", "depth", "limit"]
    return [f"{pad}{rng.choice(words)}{rng.randint(1, 9)} = compute({rng.choice(words)}, {n})" for n in range(count)]


EDITS: list[Callable[[list[str], int, random.Random], Splice | None]] = [
    rename, rename, constant, constant, added, removed, replaced, function,
]  # fmt: skip


# ── as a model writes them ───────────────────────────────────────────────────────────────────────


def pieces_of(change: Change, context: int) -> list[Piece]:
    """Return hunks with so many lines of context; changes whose context would touch share one."""
    groups: list[list[Splice]] = []
    for splice in change.splices:
        if groups and splice.start - groups[-1][-1].end <= 2 * context:
            groups[-1].append(splice)
        else:
            groups.append([splice])
    return [piece_of(change.lines, group, context) for group in groups]


def piece_of(lines: list[str], group: list[Splice], context: int) -> Piece:
    at = start = max(group[0].start - context, 0)
    tagged: Lines = []
    for splice in group:
        tagged += [(" ", line) for line in lines[at : splice.start]]
        tagged += [("-", line) for line in lines[splice.start : splice.end]]
        tagged += [("+", line) for line in splice.new]
        at = splice.end
    tagged += [(" ", line) for line in lines[at : at + context]]
    heads = (line.strip() for line in reversed(lines[:start]) if re.match(r"\s*(def|class|function)\b", line))
    return Piece(tagged, start + 1, next(heads, ""))


# ── does a patch have one reading? ──────────────────────────────────────────────────────────────


def bare(line: str) -> str:
    """Return a line without spaces and without what looks like a comment."""
    return re.sub(r"\s", "", re.sub(r"(?:#|//|/\*).*", "", line)) or re.sub(r"\s", "", line)


def squeezed(lines: list[str], loose: bool) -> list[str]:
    plain = (bare(line) if loose else line.strip() for line in lines)
    return [line for line in plain if line]


def times(old: list[str], lines: list[str], loose: bool) -> int:
    """Count the places of the old lines, ignoring blank lines; "?" matches any line."""
    want, have = squeezed(old, loose), squeezed(lines, loose)
    if not want:
        return 2
    spots = range(len(have) - len(want) + 1)
    return sum(all(w in ("?", have[at + n]) for n, w in enumerate(want)) for at in spots)


def one_reading(change: Change, pieces: list[Piece], loose: bool) -> bool:
    """Return True if every hunk fits in one place only."""
    after = changed(change.lines, change.splices)
    for piece in pieces:
        if times(piece.old, change.lines, loose) != 1 or (len(pieces) > 1 and times(piece.old, after, loose) > 1):
            return False
    return True


# ── cases and what becomes of them ───────────────────────────────────────────────────────────────


def cases(change: Change, rng: random.Random) -> Iterator[Case]:
    """Yield the change in every format, written by `render` and by hand, with every mistake that can be made in it.

    Each format has a generator of its own, so that another mistake in one changes nothing in the others.
    """
    seed = rng.random()
    for name in PATHS:
        rng = random.Random(f"{seed} {name}")
        try:
            text = api.format_named(name).render((FileChange(change.path, File(change.before), File(change.after)),))
        except PatchError:
            text = ""
        if text:
            yield case(change, name, "rendered: none", text, rng, one=True)
            yield from spoilt_texts(change, name, "rendered: ", text, True, rng)
        if name in WRITERS:
            yield from by_hand(change, name, rng)


def by_hand(change: Change, name: str, rng: random.Random) -> Iterator[Case]:
    write, contexts = WRITERS[name]
    pieces = pieces_of(change, rng.choice(contexts))
    if not can_write(change, name, pieces):
        return
    clear = one_reading(change, pieces, False)
    yield from spoilt_texts(change, name, "", write(change.path, pieces, rng), clear, rng)
    for spoil in HUNK_SPOILS:
        spoilt = spoil.make(pieces, rng) if name in spoil.formats else None
        if (
            spoilt is None
            or not can_write(change, name, spoilt)
            or (spoil.name != FLUSH and says_otherwise(change, name, pieces, spoilt))
        ):
            continue
        if spoil.name == FLUSH and not parses(change):
            continue  # then the syntax doesn't show how deep the lines are
        alone = clear and one_reading(change, evidence(pieces, spoilt), spoil.loose)
        if spoil.alone and not alone:
            continue
        one = spoil.kept and alone
        yield case(change, name, spoil.name, write(change.path, spoilt, rng), rng, one=one, hunks=(pieces, spoilt))


def parses(change: Change) -> bool:
    """Return True unless the file becomes Python with syntax errors."""
    try:
        ast.parse(change.after if change.path.endswith(".py") else b"")
    except (SyntaxError, ValueError):
        return False
    return True


def spoilt_texts(change: Change, name: str, prefix: str, text: str, clear: bool, rng: random.Random) -> Iterator[Case]:
    for spoil in TEXT_SPOILS:
        if name not in spoil.formats:
            continue
        if "path" in spoil.name and any(sign in text for sign in WHOLE):
            continue  # a whole file under another path is another file
        spoilt = spoil.make(text, change.path, rng)
        if spoilt is not None and spoilt != text and (clear or not spoil.alone):
            yield case(change, name, prefix + spoil.name, spoilt, rng, one=clear and spoil.kept)


def case(
    change: Change,
    name: str,
    spoil: str,
    text: str,
    rng: random.Random,
    *,
    one: bool,
    hunks: tuple[list[Piece], list[Piece]] | None = None,
) -> Case:
    tree = {change.path: change.before, "docs/notes.txt": b"notes\n"}
    folder, base = change.path.rsplit("/", 1)
    if rng.random() < 0.5:  # a file of the same name that looks much the same
        tree[f"{folder}2/{base}"] = change.data(changed(change.lines, change.splices[:1])) + b"x = 1\n"
    right = [{**tree, change.path: change.after}]
    if hunks and name == "chunk":  # CHUNK replaces the marker's whole range, comments and blank lines included
        right.append({**tree, change.path: change.data(as_chunk_replaces(change, *hunks))})
    return Case(name, spoil, tree, text, right, one, named=rng.random() < 0.3)


def as_chunk_replaces(change: Change, pieces: list[Piece], spoilt: list[Piece]) -> list[str]:
    """Return the file with the whole range of each piece replaced by the spoilt piece's new lines."""
    lines = list(change.lines)
    payloads = list({piece.line: piece for piece in sorted(spoilt, key=lambda piece: piece.line)}.values())
    pairs = sorted(zip(pieces, payloads, strict=True), key=lambda pair: -pair[0].line)
    for piece, payload in pairs:
        lines[piece.line - 1 : piece.line - 1 + len(piece.old)] = payload.new
    return lines


def can_write(change: Change, name: str, pieces: list[Piece]) -> bool:
    """Return True if the format, as simply as `WRITERS` writes it, can hold these pieces."""
    if any(not any(text.strip() for text in piece.old) for piece in pieces):
        return False
    # Joined by newlines, a last blank line is the newline of the line above it: on one side only, it would be removed.
    ends = [[bool("".join(lines[-1:]).strip()) for lines in (piece.old, piece.new)] for piece in pieces]
    if name == "json-edits" and any(
        old != new or not piece.new for (old, new), piece in zip(ends, pieces, strict=True)
    ):
        return False
    if name == "chunk":  # blank lines at the edges of a marker aren't part of it
        return all(side[0].strip() and side[-1].strip() for piece in pieces for side in (piece.old, piece.new or ["x"]))
    if name == "json-edits":
        text = "\n".join(change.lines)
        return all(text.count("\n".join(piece.old)) <= 1 for piece in pieces)
    return True


def evidence(pieces: list[Piece], spoilt: list[Piece]) -> list[Piece]:
    """Return the pieces with "?" for context lines in which a mistake changed more than spaces."""
    order = {piece.line: piece for piece in spoilt}
    shown = []
    for piece in pieces:
        have = {loosely(text) for text in order.get(piece.line, piece).old}
        lines = [(tag, "?" if tag == " " and loosely(text) not in have else text) for tag, text in piece.lines]
        shown.append(piece._replace(lines=lines))
    return shown


def loosely(text: str) -> str:
    for plain, fancy in (("'", "’"), ('"', "”"), ("-", "–"), ("...", "…"), ("", "\u00a0")):
        text = text.replace(fancy, plain)
    return bare(text)


def says_otherwise(change: Change, name: str, pieces: list[Piece], spoilt: list[Piece]) -> bool:
    """Return True if a spoilt hunk, read to the letter or by its format's rules, is a good hunk for something else."""
    true = {piece.line: piece for piece in pieces}
    for piece in spoilt:
        same = true[min(true, key=lambda line: abs(line - piece.line))]
        if squeezed(piece.old, False) != squeezed(same.old, False) and times(piece.old, change.lines, False):
            return True
        for plain in (str.rstrip, str.strip, str):  # to the letter, and ignoring spaces at either end
            # Blank lines at a hunk's edges don't count if nothing matches with them.
            for ends in (list, edged):
                old, true_old = ([plain(line) for line in ends(lines)] for lines in (piece.old, same.old))
                if old != true_old and "\n".join(old) in "\n".join(plain(line) for line in change.lines):
                    return True
        if name == "chunk" and not aligned(piece) and list(map(indent_of, piece.old)) != list(map(indent_of, same.old)):
            return True  # "indent: none" is to the letter
        if name == "chunk" and inner(piece.old) == inner(same.old) and inner(piece.new) != inner(same.new):
            return "\t" not in "".join(inner(piece.new))  # the marker is the same, so the payload's depth is intended
    return False


def edged(lines: list[str]) -> list[str]:
    """Return the lines without blank ones at either end."""
    solid = [n for n, line in enumerate(lines) if line.strip()]
    return lines[solid[0] : solid[-1] + 1] if solid else lines


def inner(lines: list[str]) -> list[str]:
    """Return the indentation of each line relative to the first, as CHUNK shows it."""
    depths = [indent_of(line) for line in lines if line.strip()]
    return [depth.removeprefix(depths[0]) for depth in depths]


class Verdict(NamedTuple):
    """The result of a case: "right", "refused", "wrong" or "cosmetic", and why."""

    word: str
    why: str
    got: Tree


def judge(case: Case) -> Verdict:
    try:
        result = anypatch.apply_to(case.text, case.tree, format=format_given(case.format if case.named else ""))
    except Exception as error:  # a bad patch must not raise
        return Verdict("wrong", repr(error), case.tree)
    got: Tree = {path: data for path, data in result.files.items() if isinstance(data, bytes)}
    if not result.ok:
        kinds = ",".join(sorted({problem.kind for problem in result.problems}))
        return Verdict("refused" if got == case.tree else "wrong", kinds, got)
    if got in case.right:
        return Verdict("right", "", got)
    if got == case.tree:  # it looked as if it had been applied already
        return Verdict("refused", "nothing to do", got)
    # If the patch itself spoilt the spaces on blank lines, nobody can know which were intended.
    cosmetic = any(with_empty_blank_lines(got) == with_empty_blank_lines(tree) for tree in case.right)
    if case.spoil.startswith("blank"):
        cosmetic = cosmetic or any(without_blank_lines(got) == without_blank_lines(tree) for tree in case.right)
    return Verdict("cosmetic" if cosmetic else "wrong", "spaces on blank lines" if cosmetic else "", got)


def with_empty_blank_lines(tree: Tree) -> Tree:
    """Return the tree with the spaces of blank lines removed."""
    return {
        path: b"\n".join(line if line.strip() else b"" for line in data.split(b"\n")) for path, data in tree.items()
    }


def without_blank_lines(tree: Tree) -> Tree:
    """Return the tree without blank lines."""
    return {path: b"\n".join([line for line in data.split(b"\n") if line.strip()]) for path, data in tree.items()}


def judge_again(case: Case) -> Verdict:
    """Judge the same patch on its own result: it is refused, or changes nothing."""
    return judge(case._replace(tree=case.right[0], spoil="applied again: " + case.spoil, one=False))


# ── corrections ──────────────────────────────────────────────────────────────────────────────────


class Shown(NamedTuple):
    """A correction that a refusal shows: for which patch, how that was spoilt, and if the result is the intended one."""

    spoil: str
    format: str
    patch: str
    block: str
    right: bool
    wanted: str
    got: str


def corrected(change: Change, rng: random.Random) -> Iterator[Shown | None]:
    """Yield each correction of each spoilt patch of a change; None for a patch that is refused without one.

    Each is sent as a model would send it, in place of the part that failed.
    """
    before, after = change.before.decode(), change.after.decode()
    for format, (write, contexts) in WRITERS.items():
        for name, spoil in SLIPS.items():
            pieces = pieces_of(change, rng.choice(contexts))
            at = rng.randrange(len(pieces))
            spoilt = spoil([pieces[at]], rng) if can_write(change, format, pieces) else None
            if not spoilt:
                continue
            text = write(change.path, [*pieces[:at], *spoilt, *pieces[at + 1 :]], rng)
            result = anypatch.apply_to(text, {change.path: before}, format=format_given(format))
            if len(result.problems) != 1:
                continue
            (problem,) = result.problems
            if not problem.corrected:
                yield None
            for correction in problem.corrected:
                got = resent(result.plan.patch, problem, correction.text, {change.path: before})
                ambiguous = problem.kind == "ambiguous"  # a block for each place: one of them is intended
                right = got == after or (ambiguous and got not in (before, None))
                yield Shown(name, format, text, correction.text, right, after, got or "refused")


def resent(patch: Patch, problem: anypatch.Problem, block: str, files: dict[str, str]) -> str | None:
    """Return the file after the patch with a correction in place of the part that failed, or None if that is refused."""
    correction = api.read(block, patch.format)
    assert not correction.problems and len(correction.ops) == 1, block
    ops = list(patch.ops)
    failed, corrected = ops[problem.op - 1], correction.ops[0]
    if isinstance(failed, Edit) and isinstance(corrected, Edit) and len(failed.hunks) > 1:
        hunks = list(failed.hunks)
        which = [n for n, hunk in enumerate(hunks) if hunk.patch_line == problem.patch_line]
        assert len(which) == 1, problem
        hunks[which[0] : which[0] + 1] = corrected.hunks
        corrected = failed._replace(hunks=tuple(hunks))
    ops[problem.op - 1] = corrected
    text = (
        write_ops(tuple(ops), anypatch.format_named(patch.format))
        if len(ops) > 1 or len(getattr(corrected, "hunks", ())) > 1
        else block
    )
    if not text:
        return None
    try:
        result = anypatch.apply_to(text, files, format=format_given(patch.format))
    except Refused:
        return None
    return str(result.files[next(iter(files))]) if result.ok else None


def misnamed(pieces: list[Piece], rng: random.Random) -> Spoilt:
    """Misspell a name of an old line everywhere, in the new lines too."""
    names = sorted({name for piece in pieces for line in piece.old for name in re.findall("[A-Za-z_]{4,}", line)})
    if not names:
        return None
    name = rng.choice(names)
    wrong = slipped(name, rng)
    return [
        piece._replace(lines=[(tag, re.sub(rf"\b{name}\b", wrong, text)) for tag, text in piece.lines])
        for piece in pieces
    ]


def both(first: Spoiler, second: Spoiler) -> Spoiler:
    def make(pieces: list[Piece], rng: random.Random) -> Spoilt:
        spoilt = first(pieces, rng)
        return second(spoilt, rng) if spoilt else None

    return make


SLIP = one_line(is_old, lambda text, rng: [slipped(text, rng)])
SINGLE: dict[str, Spoiler] = {
    "slip": SLIP,
    "two slips": both(SLIP, SLIP),
    "stale number": one_line(
        lambda lines, n: lines[n][0] != "+" and bool(re.search(r"\d", lines[n][1])),
        lambda text, rng: [re.sub(r"\d+", r"\g<0>7", text, count=1)],
    ),
    "name misspelt throughout": misnamed,
    "a line lost": one_line(
        lambda lines, n: 0 < n < len(lines) - 1 and all(lines[m][0] == " " for m in (n - 1, n, n + 1)), lambda *_: []
    ),
}
# Several mistakes at once.
SLIPS = SINGLE | {
    f"{spoil.name}, and a slip": both(SLIP, spoil.make)
    for spoil in HUNK_SPOILS
    if spoil.name in ("outdented", "deeper", "spaces to tabs", "typographic", "blank added", "line numbers")
}
