"""What else an answer says of where its edits go: the symbols that its words name, how often it says an edit. Pure.

In `Cart.total`, sum the prices:      `return 0` stands in Cart.total and in Cart.count: what stands in total is meant

Two blocks that are the same mean two places, where there are two.
"""

from __future__ import annotations

import re

from .answer import outline
from .match.files import takes_claims
from .model import Edit, Hunk, Op, Outcome, Patch, Plan, Swap, Words
from .parsing.spoken import changing
from .text import patch_lines

_PATH = r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|/)[A-Za-z_$~][\w$]*)*"
# A name in backquotes, before brackets, or with the word for what it is; else one that can't be an English word.
_NAME = re.compile(
    rf"`(?:(?:async )?(?:def|class|function|func|fn) )?({_PATH})(?:\([^`]*\))?:?`"
    rf"|(?<![\w`.])({_PATH})(?=\(\))"
    rf"|(?<![\w`.])({_PATH})(?=['\"*]* (?:method|function|class|property|constructor|struct|test)\b)"
    rf"|\b(?:method|function|class|property|struct) ['\"*]*({_PATH})"
    r"|(?<![\w`.])([A-Za-z]*_\w+|[A-Z]+[a-z]+[A-Z]\w*)(?![\w`])"
)
# "Leave `f` as it is", "every function except `f`": names behind these words are not those of the place.
_BUT = re.compile(
    r"\b(?:leave|leaves|leaving|except|excluding|unlike|as in|same (?:as|way)|similar(?:ly)? (?:to|as)|instead of"
    r"|rather than|other than|(?:do not|don['’]?t) (?:change|touch|modify|edit)|whereas|in contrast"
    r"|compared? (?:to|with)|keep(?:s|ing)?|copied from|taken from)\b|\b(?:like|not|not in) (?=`)",
    re.IGNORECASE,
)
# "`f` stays as it is", "`f` is fine": nor are any in such a sentence.
_STAYS = re.compile(
    r"\b(?:unchanged|untouched|unaffected|stays?|already|(?:is|are|was|looks?) (?:fine|correct|right|good|ok)"
    r"|(?:doesn['’]?t|does not) (?:change|need))\b",
    re.IGNORECASE,
)
# The place is named by words that change something there: "modify the `f` method of `A`", "add `g` to `A`", "the bug is
# in `A.f`", "`f` should return 2", a heading. "It is called from `f`", "as `f` does" name something else.
_ACTS = changing("implement", "define", "ensure", "set", "handle", "make", "use")
_NOUNS = (
    r"(?:(?:the|an?|its|our|your|this|that|new|existing|current|own|private|public|static|test|method|function|class"
    r"|property|constructor|struct|helper|body|implementation|definition|x)\b[\s,*'\"(]*|(?:and|or) (?=x\b|the\b|$))*"
)
_NAMES_PLACE = re.compile(
    rf"(?:^|\b(?:let['’]?s|to|will|should|must|and|then|also|please|we|i|we['’]?ve|i['’]?ve|this|it|change|now)\s+|[:,;.)]\s+)"
    rf"{_ACTS} (?:that |sure (?:that )?)?{_NOUNS}$"
    rf"|\b{_ACTS}\b.* (?:in|into|inside|within|to|for) {_NOUNS}$"
    rf"|\b(?:bug|problem|issue|error|fault|mistake|culprit|changes?)\b.* in {_NOUNS}$"
    rf"|\b(?:inside|within) {_NOUNS}$"
    rf"|\b(?:method|function|class|constructor|body|end|start|top|beginning|x) of {_NOUNS}$"
    rf"|^(?:in |for ){_NOUNS}$",
    re.IGNORECASE,
)
# "`f` should return 2", "Now `f` returns 2", "The `f` method is wrong", a heading; not "`f` is called by `g`".
_SUBJECT = re.compile(rf"^(now,? )?{_NOUNS}$", re.IGNORECASE)
_SHOULD = re.compile(
    r"(?:(?:method|function|class|test)\b\s*)?"
    r"(?:[:.]?$|(?:should|must|needs?|has to|now|will|fails|(?:is|are|was) (?:wrong|broken|incorrect|buggy|missing))\b)"
)
_MOST = 200  # names of an answer that are looked at


def with_claims(text: str, made: Plan) -> Patch | None:
    """The patch of a plan with all that it says of edits that were refused for having several places; None: nothing."""
    doubted = [outcome for outcome in made.outcomes if _is_doubted(outcome)]
    if not doubted:
        return None
    ops = list(made.patch.ops)
    joined = _join_equal(ops, doubted)
    lines = patch_lines(text)
    blocks = [range(block.start, block.end) for block in outline(text) if block.kind != "wrapper"]
    words = list(lines)
    for rows in blocks:
        words[rows.start : rows.stop] = [""] * len(rows)
    for outcome in doubted:
        op = ops[outcome.number - 1]
        assert isinstance(op, Edit)
        row = op.patch_line - 1
        top = max((rows.stop for rows in blocks if rows.stop <= row), default=0)
        end = min((other.patch_line - 1 for other in ops if other.patch_line > op.patch_line), default=len(lines))
        alone = sum(other.path == op.path for other in ops) == 1
        # What stands behind a block may speak of the next one.
        behind = _names(words[row:end]) if end == len(lines) or alone else Words(())
        groups = (_names(words[top:row]), behind, _names(words, sole=not alone))
        if len(op.hunks) == 1 and isinstance(hunk := op.hunks[0], Hunk):
            where = hunk.where._replace(named=tuple(group for group in groups if group.names))
            ops[outcome.number - 1] = op._replace(hunks=(hunk._replace(where=where),))
    if ops == list(made.patch.ops):
        return None
    notes = [note for note in made.patch.notes if note.kind != "repeat" or note.path not in joined]
    return made.patch._replace(ops=tuple(ops), notes=tuple(notes))


def _is_doubted(outcome: Outcome) -> bool:
    """Whether an edit was refused only because it has several places."""
    kinds = {problem.kind for problem in outcome.problems}
    return kinds == {"ambiguous"} and isinstance(outcome.op, Edit) and takes_claims(outcome.op)


def _join_equal(ops: list[Op], doubted: list[Outcome]) -> set[str]:
    """Make edits that are the same, but for blanks at the ends of lines, one edit of so many places; their paths.

    Which of them gets which place makes no difference then.
    """
    paths: set[str] = set()
    equal: dict[object, list[int]] = {}
    for outcome in doubted:
        op = outcome.op
        assert isinstance(op, Edit)
        said = op.hunks[0] if len(op.hunks) == 1 and op.whole is None else None
        if isinstance(said, Hunk):
            words: object = tuple((tag, text.rstrip()) for tag, text in said.lines)
        elif isinstance(said, Swap) and said.times == 1:
            words = (said.old, said.new)
        else:
            continue
        equal.setdefault((outcome.path, op.mode, words, said.where, said.policy), []).append(outcome.number - 1)
    for numbers in equal.values():
        edits = [op for number in numbers if isinstance(op := ops[number], Edit)]
        times = sum(1 + op.again for op in edits)
        if times == 1:
            continue
        one = edits[0].hunks[0]
        hunks = (one._replace(times=times),) if isinstance(one, Swap) else (one,) * times
        ops[numbers[0]] = edits[0]._replace(hunks=hunks, again=0)
        for number, op in zip(numbers[1:], edits[1:], strict=True):
            ops[number] = op._replace(hunks=(), again=0)
        paths.add(edits[0].path)
    return paths


def _names(lines: list[str], sole: bool = False) -> Words:
    """The names that may be symbols, in dots where they say the way to one; not those that are set aside."""
    names: dict[str, None] = {}
    others: dict[str, None] = {}
    aside: set[str] = set()
    for sentence in re.split(r"(?<=[.!?;:])\s+|\n", "\n".join(lines)):
        but = _BUT.search(sentence)
        stays = but is not None or _STAYS.search(sentence) is not None
        for match in _NAME.finditer(sentence):
            name = re.sub(r"::|#|/", ".", next(filter(None, match.groups())))
            if stays and (but is None or match.start() >= but.end()):
                aside.add(name)
            if len(names) + len(others) < _MOST:
                (names if _is_place(sentence, match) else others)[name] = None
    told = tuple(name for name in names if name not in aside)
    return Words(told, tuple(name for name in others if name not in names and name not in aside), sole)


def _is_place(sentence: str, match: re.Match[str]) -> bool:
    """Whether a sentence speaks of a name as the place of a change."""
    before = re.sub(r"`[^`]*`?|\b\w+(?= (?:class|method|function)\b)", "x", sentence[: match.start()])
    before = before.lstrip(" #*_->0123456789.)")
    subject = _SUBJECT.search(before)
    if subject is not None:
        return subject[1] is not None or _SHOULD.match(sentence[match.end() :].lstrip("`)(* ")) is not None
    return _NAMES_PLACE.search(before) is not None
