"""What the prose around a fence says of it: which file it belongs to, whether it is meant, that it comes in two. Pure.

    In `src/cart.py`, change `total` to:        a path in a sentence, and a word that asks for a change
    ### src/cart.py                             a path alone, then sentences, then the fence
    Before: … After: …                          the first fence gives way to the second
    Change line 27 from `a = 1` to `a = 2`.     an edit without any fence
    In `a.py`, change `a = 1` to `a = 2`.       the same
    Add this to the end of `a.py`:              where new lines go; so does "After `import sys`, add:"
    Replace lines 8-9 of `a.py` with:           which lines go

What only mentions code asks for nothing: "Now use it in `main.py` like this:".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise

from ..model import Told
from ..record import NamedTuple
from . import words
from .meant import is_mentioned, is_optional
from .paths import looks_like_path, path_line, path_on, paths_in
from .quotes import header_in, is_example_label, says_old

_FAR = 12  # paragraphs above a fence among which its path must be
# Compiled when they are first asked for: together they cost a fifth of the interpreter's start.
_CHANGES = (
    "change", "update", "replace", "modify", "fix", "edit", "rewrite", "refactor", "adjust", "correct", "revise",
    "improve", "add", "insert", "extend", "remove", "patch", "rename", "simplify",
)  # fmt: skip


def changing(*more: str) -> str:
    """A pattern of the verbs by which an answer tells of a change, in all their forms: change, changed, changing."""
    return f"(?:{'|'.join(map(_forms, (*_CHANGES, *more)))})"


def _forms(verb: str) -> str:
    if verb == "rewrite":
        return "rewr(?:ite|ites|itten|iting|ote)"
    if verb[-1] in "ey":
        return f"{verb[:-1]}(?:{'e|ed|es|ing' if verb[-1] == 'e' else 'y|ied|ies|ying'})"
    return f"{verb}(?:ed|e?s|t?ing)?"


_VERBS = rf"(?:{changing()}|us(?:e|ing) this|mak(?:e|ing) (?:it|the|this|these|that)|apply(?:ing)? (?:the|this|these))"
_ORDERS = rf"(?:changes|{'|'.join(_CHANGES)}|use this|make (?:it|the|this|these|that)|apply (?:the|this|these))"
# Who asks: nobody ("Change `f` to:", "In `a.py`, change", "Open it and replace"), or the one who answers ("I've
# updated", "we need to change", "you should add"); not "someone changed", "it was changed".
_ASKS = (
    r"(?:^|[,:;–—-]\s+|\band\s+|\bin\s+x\s+)"
    rf"(?:(?:then|now|next|first|finally|also|and|please|just|simply|instead|so)\b,?\s+)*{_ORDERS}\b"
    r"|\b(?:i|we|i['’]?ve|we['’]?ve|i['’]?ll|we['’]?ll|i will|we will|let['’]?s|let us|let me|please|need to"
    r"|have to|must|should|going to|want to|is to|(?:i|we) have|(?:i|we) just|(?:has|have|needs?) to be)"
    rf"\s+(?:also\s+|now\s+|then\s+|simply\s+)?{_VERBS}\b"
    r"|\bshould (?:be|become|look|read|now)\b|\bbecomes?\b|\bnow (?:reads?|looks?|becomes?)\b"
    r"|^the (?:fix|change|update)\b|\bcan be (?:one|a single|simplified|shortened|reduced|rewritten|written as)\b"
    r"|\bthe (?:new|updated|fixed|corrected|modified) (?:version|code|function|method|class|implementation)\b"
    r"|^(?:and\s+)?(?:(?:here|below)(?:['’]?s|\s+is|\s+are)\s+|this is\s+)?(?:(?:the|an?|your|my|our)\s+)?"
    r"(?:full|complete|final|entire|new|updated|modified|revised|rewritten|corrected|fixed|refactored|changed|improved)\b"
)
# "If you want to change the tax, look at …": nothing is asked for.
_IDLE = (
    r"(?:if|when|whenever|before|once|unless|to see|see|note|remember|recall|currently|today|suppose)\b"
    r"|.*\b(?:you (?:can|could|may|might)|we (?:can|could|may|might)|one (?:can|could)|like this now|as an example)\b"
)
# "Don't change `a.py` like this:"; "Option 1: change `f` to"; "Should I change `f` to this?"; "this would break `g`":
# what follows is not wanted, is one of several, was wanted once, or is something else.
_UNWANTED = (
    r"\?[\s*_:]*$|\b(?:don['’]?t|do not|never|avoid|(?:should|must|would|could|can)(?:n['’]?t| not)|cannot)\b"
    r"|\b(?:rather than|would|might|happens?|breaks?|broke|previously|earlier|formerly|used to|originally|old)\b"
    r"|\b(?:they|he|she|someone|somebody|you)\s+(?:have\s+|had\s+|['’]ve\s+)?"
    r"(?:posted|pasted|changed|wrote|sent|shared|updated|showed|gave|made|did)\b"
    r"|\b(?:other|second) (?:repository|project|branch|version)\b"
    r"|^(?:bad|wrong)\b|\b(?:outputs?|printed|responses?|renders?|rendered)\b"
    # "The script now prints this:"; not "Change `f` so that it prints two lines:"
    r"|\bprints?(?:\s+(?:this|that|the|following|then|now|as|like|so|something|out|follows))*\W*$"
)
_TESTS = r"\b(?:an?|the|some|unit|new|this|following)\s+(?:unit\s+|new\s+)?tests?\b"
# "Or, shorter:", "Alternatively:" between two fences.
_ANOTHER = r"(?:\W*)(?:or\b|alternatively\b|(?:another|a second|the other)\b|option\b|alternative\b)"
_FILLERS = words(
    "the this that these those it its a an your our code version block lines line section following part function"
    " method class implementation snippet text in of for is was and here please file lines: content contents body"
)
_OLD = words("before old original current existing previous find replace change from locate look search update edit")
_NEW = words(
    "after new updated to with by becomes become into fixed replacement replace should be read revised corrected"
    " modified proposed changed now then"
)
# "and `g`:", "Then the helper `g`:", "Same for `g`": words that lead from one fence to the next, and say no more.
_LEADING_ON = words(
    "and also then next finally lastly likewise similarly same as well too for in to of with the a an other second"
    " third last new updated function method class constructor helper struct type here now so goes x"
)
_LINE_EDIT = (
    r"(?:change|replace|update|edit|modify|fix)\s+line\s+(\d{1,6})\b(.{0,120}?)\s+(?:from\s+|:\s*)?(`+)([^`]+)\3"
    r"\s+(?:to|with|by)\s+(`+)([^`]+)\5(?=[\s.,;:!)]|$)"
)
_ADD = r"(?:add|append|insert|put|place|paste|include)"
_FIRST = r"^(?:(?:then|now|next|first|finally|lastly|also|and|please|just|simply|in p)\b,?\s+)*"
# "Add this to the end of `a.py`:", "Append these to `a.py`:", "At the bottom of the file, add:"; p is the path.
_FILE_END = r"the\s+(?:very\s+)?(?:end|bottom)\s+of\s+(?:(?:the|your)\s+)?(?:(?:file|module|script)\b(?:\s+p\b)?|p\b)"
_AT_END = (
    rf"{_FIRST}(?:{_ADD}\b[^.;!?]*\b(?:to|at|onto)\s+{_FILE_END}|at\s+{_FILE_END},?\s+{_ADD}\b"
    r"|append\b[^.;!?]{0,60}?\bto\s+(?:(?:the|your)\s+)?(?:(?:file|module|script)\s+)?p\b)"
)
# "Add this to `.gitignore`:", "In `.env`, add:"; p is the path.
_TO_FILE = rf"{_FIRST}(?:{_ADD}\b[^.;!?]*\s(?:to|in|into) p|(?:in|to) p,? {_ADD}\b[^.;!?`]*)\W*$"
# "After `import sys`, add:", "Add this right below the line `import sys` in `a.py`:"
_BELOW = (
    r"\b(?:after|below|under|beneath)\s+(?:the\s+)?(?:(?:existing|current|line|import|statement|call|assignment)\s+)*"
    r"`([^`]+)`"
)
_ADD_BELOW = (
    rf"{_FIRST}(?:{_ADD}\b|(?:(?:right|just|directly|immediately)\s+)?(?:after|below|under|beneath)\s+(?:the\s+)?"
    rf"(?:(?:existing|current|line|import|statement|call|assignment)\s+)*x(?:\s+(?:in|of)\s+p)?,?\s+{_ADD}\b)"
)
# "Create `a.py` with:", "Add a new file `b.py`:"; p is the path.
_WE = r"(?:(?:let['’]?s|we['’]?ll|i['’]?ll|(?:you|we) (?:need|have) to)\s+)?(?:also\s+)?"
_CREATES = (
    rf"{_FIRST}{_WE}(?:(?:create|make|generate|save)\b|(?:{_ADD}|write)\b[^.;!?]*\bnew\s+(?:\w+\s+){{0,2}}file\b)"
    r"[^.;!?]*\bp\b"
)
# "Add a test in `tests/test_a.py`:", "And a regression test (`tests/test_a.py`):"
_ADDS_TESTS = (
    rf"{_FIRST}{_WE}(?:(?:{_ADD}|write)\b[^.;!?]*\b(?:tests?|specs?)\b[^.;!?]*\bp\b"
    r"|(?:an?|the|some)?\s*(?:\w+\s+){0,2}(?:tests?|specs?)(?:\s+(?:file|case|suite)s?)?\W*(?:in|at|into)?\W*p\W*$)"
)
_OF_TESTS = r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?=[/_.-])|(?:Tests?|Spec)\.\w+$"
# "to the `Cart` class", "inside class Cart", "Add this method to `Cart`", "`Cart`'s `total`"
_SYMBOL = r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*"
_THE = r"(?:(?:the|your|our|existing|current|same)\s+)*"
_A_CLASS = r"(?:class|struct|interface|trait|enum|module|record|protocol)"
_IN_CLASS = (
    rf"\b(?:to|into|in|inside|within|of)\s+{_THE}(?:{_A_CLASS}\s+`?({_SYMBOL})`?|`?({_SYMBOL})`?\s+{_A_CLASS}\b)"
    rf"|\b{_ADD}\b[^`]*\s(?:to|into|inside|within)\s+{_THE}`({_SYMBOL})`|`({_SYMBOL})`['’]s\s"
    rf"|(?:`|\b(?:method|function|property|constructor))\s+(?:of|in|on)\s+{_THE}`({_SYMBOL})`"
)
# "after the `total` method", "above function `f`"; not "to be called after `f`"
_A_SYMBOL = r"(?:(?:method|function|class|constructor|property|struct|definition)\s+)*"
_NO_CALL = r"(?<!called )(?<!run )(?<!runs )(?<!invoked )(?<!executed )"
_AFTER = rf"{_NO_CALL}\b(?:after|below|under|beneath)\s+{_THE}{_A_SYMBOL}`({_SYMBOL})(?:\([^`]*\))?`"
_BEFORE = rf"{_NO_CALL}\b(?:before|above)\s+{_THE}{_A_SYMBOL}`({_SYMBOL})(?:\([^`]*\))?`"
_LINES = (
    r"\b(?:replace|change|update|edit|modify|rewrite)\s+lines?\s+(\d{1,6})"
    r"(?:\s*(?:[-–—]|to|through|and)\s*(\d{1,6}))?\b"
)
# `f(a,`, `if a:`, `a = \`, `@cached`: what goes below is no statement of its own.
_GOES_ON = r".*[\\,:{(\[=+|&<-]$|@|<[^/>]+>$"
_INLINE = r"(`+)((?:(?!\1).)+)\1\s+(?:to|with|by|into)\s+(`+)((?:(?!\3).)+)\3"
# All that may stand before such an order, p being a path, and behind it; "Next time, change" is none.
_ORDER = (
    r"(?:(?:then|now|next|first|second|finally|lastly|also|and|please|just|simply|so)\b,?\s*)*"
    r"(?:in\s+(?:the\s+)?(?:file\s+)?p\b,?\s*|in\s+the\s+same\s+file,?\s*|p:\s*"
    r"|to (?:fix|solve|correct|resolve|repair|address)(?:\s+\w+){1,4},\s*"
    r"|(?:the )?fix:\s*)?(?:(?:on|at|in)\s+line\s+\d{1,6}(?:\s+of\s+p\b)?,?\s*)?"
    r"(?:(?:you|we) (?:should|must|need to|have to)\s+)?"
    r"(?:change|replace|update|modify|edit)\s+(?:(?:the|this)\s+)?(?:[\w-]+\s+){0,3}?(?:from\s+)?"
)
# "Then delete `old.py`.", "2. Remove the unused `f` from `a.py`", "Rename `a` to `b`": what no fence may show.
_UNDONE = (
    r"(?:(?:then|now|next|first|second|finally|lastly|also|and|please|just)\b,?\s+)*(?:in\s+`[^`]+`,?\s+)?"
    r"(?:(?:on|at) line \d{1,6},?\s+)?(?:remove|delete|drop|rename|replace|change):?\**\s+(?:[\w-]+\s+){0,5}`([^`]+)`"
    r"|`([^`]+)`\s+\((?:to be\s+)?(?:deleted?|removed?)\)"
)
_TAIL = r"\s*(?:(?:in|of|inside)\s+(?:the\s+)?(?:file\s+)?p\b)?\s*(?:$|[.!,;(–—-]|\b(?:so that|because|since|as|to)\b)"
_JOINT = r"\s*(?:,|and|,\s*and)\s+"
_NOT_NOW = r"\b(?:otherwise|later|temporar\w+|testing|debug\w*|revert|undo|back|for now|instead|unless|if|or)\b"
# "Here's the updated `src/cart.py`:": the fence is that file, not a part of it.
_FILE = (
    r"\b(?:new|updated|modified|revised|rewritten|complete|full|final|entire|whole|corrected|fixed|refactored)\b[^`.:;]{0,24}"
    r"`([^`]+)`"
)


class Named(NamedTuple):
    """A path that the prose above a fence names: `alone` on its line, or in a sentence."""

    path: str
    row: int
    alone: bool


class Addition(NamedTuple):
    """Words that say where new lines go: right below a line of the file, or, without one, at its end; the path."""

    below: str
    path: str


class LineEdit(NamedTuple):
    """A sentence that changes one line: its number, the text there and what it becomes; the path, if it names one.

    Without a number the text is a part of a line, or all of it.
    """

    number: int
    old: str
    new: str
    path: str


def named_above(lines: list[str], prose: list[int], row: int) -> Named | None:
    """The path that the nearest paragraph names that names any, up to the heading of the section; None for two."""
    below = 7  # only a heading above this level counts
    for first, last in _paragraphs(prose, row):
        heading = len(lines[first]) - len(lines[first].lstrip("#")) if lines[first].startswith("#") else 0
        alone = next((at for at in range(last, first - 1, -1) if (named := path_line(lines[at])) and named.sure), -1)
        if alone >= 0 and (below == 7 or 0 < heading < below):
            named = path_line(lines[alone])
            assert named is not None
            return Named(named.path, alone, True)
        if heading and not is_pair_label(lines[first]):
            below = min(below, heading)
        if below < 7:
            continue
        paths = {path for at in range(first, last + 1) for path in paths_in(lines[at])}
        if paths:
            return Named(paths.pop(), last, False) if len(paths) == 1 else None
    return None


def only_path(lines: list[str], prose: list[int]) -> Named | None:
    """The one path that all of the prose names, in whatever sentence."""
    found = {path: row for row in prose for path in paths_in(lines[row])}
    return Named(*found.popitem(), False) if len(found) == 1 else None


def words_above(lines: list[str], prose: list[int], row: int) -> str:
    """The paragraph right above a row, with two blank lines between at most; "" where something else stands there."""
    first, last = next(_paragraphs(prose, row), (0, -9))
    near = last >= row - 3 and all(not lines[at].strip() for at in range(last + 1, row))
    return " ".join(line.strip() for line in lines[first : last + 1]) if near else ""


def lead_of(lines: list[str], prose: list[int], row: int) -> str:
    """The paragraph right above a row, or right above the path that stands there alone."""
    words = words_above(lines, prose, row)
    named = next((at for at in range(row - 1, max(row - 4, -1), -1) if lines[at].strip()), -1)
    return words_above(lines, prose, named) if words and path_on(words) else words


def _paragraphs(prose: list[int], row: int) -> Iterator[tuple[int, int]]:
    """The first and last row of each paragraph above a row, the nearest first. `prose`: rows that aren't blank."""
    at = bisect_left(prose, row) - 1
    count = 0
    while at >= 0 and count < _FAR:
        last = prose[at]
        while at > 0 and prose[at - 1] == prose[at] - 1:
            at -= 1
        yield prose[at], last
        at, count = at - 1, count + 1


def says_file(text: str, path: str) -> bool:
    """Whether words say that what follows is a file in its new version, not that something in it changes."""
    found = re.search(_FILE, text, re.IGNORECASE)
    return found is not None and found[1] == path


def says_added(text: str) -> bool:
    """Whether words right above a fence say that its lines are to be added: "First, add this import:"."""
    last = re.split(r"(?<=[.!?])\s+", re.sub(r"`[^`]*`", " x ", text).strip())[-1]
    adds = re.search(r"\b(?:add|adds|adding|insert|include|append|put|imports? (?:it|this|these)|needs?)\b", last, re.I)
    return adds is not None and re.search(r"\b(?:replac\w+|chang\w+|instead|rewrite)\b", last, re.I) is None


def told_of(text: str, body: list[str]) -> Told:
    """What words right above a fence say of the functions in it: whose they are, next to which they go."""
    asking = [one for one in _sentences(text) if re.search(_ASKS, re.sub(r"`[^`]*`", "x", one), re.IGNORECASE)]
    if not asking:
        return Told(is_new=says_added(text))
    sentence, told, paths = _with_p(asking[-1])
    holder, after, before = (_only_name(pattern, sentence, paths) for pattern in (_IN_CLASS, _AFTER, _BEFORE))
    if not holder:  # "Change `Cart.total` to:"
        ways = re.findall(rf"`({_SYMBOL})(?:\.|::|#)([\w$]+)(?:\([^`]*\))?`", sentence)
        outer = {way for way, name in ways if is_defined(name, body)}
        holder = outer.pop() if len(outer) == 1 else ""
    to_file = not (holder or after or before) and re.match(_TO_FILE, told, re.IGNORECASE) is not None
    return Told(is_new=says_added(text), to_file=to_file, holder=holder, after=after, before=before)


def _only_name(pattern: str, sentence: str, paths: set[str]) -> str:
    """The one symbol that a sentence has where a pattern has a name; "" for none, several, and paths."""
    found = {name for match in re.finditer(pattern, sentence, re.IGNORECASE) for name in match.groups() if name}
    return found.pop() if len(found) == 1 and found.isdisjoint(paths) else ""


def _sentences(text: str) -> list[str]:
    """The sentences of some words, without the signs of a list or heading in front."""
    return re.split(r"(?<=[.!?])\s+", text.strip().lstrip("#*_-> \t0123456789.)"))


def asks_for_change(text: str) -> bool:
    """Whether words right above a fence ask for the change it shows, or say that it was made.

    What stands in backticks are names. A sentence may follow the one that asks: "Change `f`. It returns 2 then:".
    """
    sentences = _sentences(re.sub(r"`[^`]*`", " x ", text))
    last = sentences[-1]
    if re.match(_IDLE, last, re.IGNORECASE) or is_example_label(last) or says_old(last):
        return False
    asking = next((one for one in reversed(sentences) if re.search(_ASKS, one, re.IGNORECASE)), "")
    return bool(asking) and not any(map(_is_unwanted, (asking, last)))


def is_unwanted(text: str) -> bool:
    """Whether the sentence right above a fence says that what it shows is not what is wanted."""
    last = re.split(r"(?<=[.!])\s+", re.sub(r"`[^`]*`", " x ", text).strip().lstrip("#*_-> \t"))[-1]
    return _is_unwanted(last)


def _is_unwanted(sentence: str) -> bool:
    return re.search(_TESTS, sentence, re.IGNORECASE) is not None or _is_against(sentence)


def _is_against(sentence: str) -> bool:
    return re.search(_UNWANTED, sentence, re.IGNORECASE) is not None or is_mentioned(sentence) or is_optional(sentence)


def offers_another(lines: list[str], row: int) -> bool:
    """Whether the first words behind a row say that the next fence shows another way."""
    rest = [line for line in lines[row : row + 8] if line.strip()]
    return len(rest) > 1 and re.match(_ANOTHER, rest[0], re.IGNORECASE) is not None and "```" in "".join(rest[1:3])


def leads_on(text: str, body: list[str]) -> bool:
    """Whether words between two fences only lead on to the second, which defines what they name: "and `g`:"."""
    told = re.sub(r"`[^`]*`", " x ", text).split()
    plain = {word.strip("#*_:-–—>()[]\"',. \t0123456789").lower() for word in told} - {""}
    return plain <= _LEADING_ON and all(is_defined(name, body) for name in re.findall(r"`([^`]+)`", text))


def is_defined(name: str, body: list[str]) -> bool:
    """Whether code begins with the function or class of a name: `Cart.total()` with `def total(self):`."""
    last = re.split(r"\.|::|#|/", name.partition("(")[0].strip())[-1]
    return bool(last) and re.search(rf"(?<!\w){re.escape(last)}(?!\w)", header_in(body)) is not None


# ── before and after ─────────────────────────────────────────────────────────────────────────────


def is_pair_label(line: str) -> bool:
    """Whether a line is a label of old or new text."""
    return is_old_label(line) or is_new_label(line)


def is_old_label(text: str) -> bool:
    """Whether words say that what follows is to be replaced: "Before:", "Replace this code:", "Find"."""
    core = _core(text)
    return bool(core) and core <= _OLD


def is_new_label(text: str) -> bool:
    """Whether words say that what follows takes the place of what came before: "After:", "with this:"."""
    core = _core(text)
    return bool(core) and core <= _NEW and core != {"replace"}


def names_another(above: str, below: str) -> bool:
    """Whether two labels name different things: "Update `f`:" and "Then `g`:" are no pair, nor are two files."""
    names = [set(re.findall(r"`([^`]+)`", label)) for label in (above, below)]
    one, two = ({name for name in some if not looks_like_path(name)} for some in names)
    files = [paths_in(label) for label in (above, below)]
    return any(bool(a) and bool(b) and a.isdisjoint(b) for a, b in ((one, two), files))


def _core(text: str) -> set[str]:
    """The words of a short label without names, paths and fillers."""
    last = re.split(r"(?<=[.!?])\s+", text.strip())[-1]
    bare = re.sub(r"`[^`]*`", " ", last)
    told = [word.strip("#*_:-–—>()[]\"',. \t").lower() for word in bare.split()]
    told = [word for word in told if word and not word.isdigit() and "/" not in word and "." not in word]
    return set(told) - _FILLERS if len(told) <= 9 else set()


# ── where new lines go ───────────────────────────────────────────────────────────────────────────


def addition(text: str) -> Addition | None:
    """Where words right above a fence say that its lines go; None where they say nothing, or not for sure."""
    last, told, paths = _with_p(text)
    if len(paths) > 1 or re.match(_IDLE, told, re.IGNORECASE) or _is_against(told) or is_example_label(told):
        return None
    if text.startswith(">") or re.search(_NOT_NOW, told, re.IGNORECASE):
        return None
    path = next(iter(paths), "")
    anchors = re.findall(_BELOW, last, re.IGNORECASE)
    if re.match(_AT_END, told, re.IGNORECASE):
        return Addition("", path) if not anchors else None
    if len(anchors) != 1 or not re.match(_ADD_BELOW, told, re.IGNORECASE):
        return None
    line = anchors[0].strip()
    is_whole = (
        (" " in line or _is_statement(line))
        and not re.match(_GOES_ON, line)
        and not header_in([line])
        and _is_balanced(line)
    )
    return Addition(line, path) if is_whole and line not in paths else None


def created(text: str) -> str:
    """The path of a file that words right above a fence ask to make; "" where they don't, or not for sure.

    A test has a file of its own: "Here's a test for `a.py`:" asks for nothing there.
    """
    _, told, paths = _with_p(text)
    path = next(iter(paths), "")
    if len(paths) != 1 or text.startswith(">") or re.match(_IDLE, told, re.IGNORECASE):
        return ""
    is_made = re.match(_CREATES, told, re.IGNORECASE)
    is_test = re.search(_OF_TESTS, path) and re.match(_ADDS_TESTS, told, re.IGNORECASE)
    return path if (is_made or is_test) and not _is_against(told) and not is_example_label(told) else ""


def _with_p(text: str) -> tuple[str, str, set[str]]:
    """The last sentence of some words; the same with p for a path and x for other names; all their paths."""
    paths = paths_in(text)
    last = _sentences(text)[-1]
    told = re.sub(r"`([^`]*)`", lambda name: " p " if name[1] in paths else " x ", last)
    for path in paths:
        told = told.replace(path, "p")
    told = re.sub(r"\s+(?=[,.:;!?]|\s|$)", "", told.strip())
    return last, re.sub(r"\b(?:(?:the|your) )?(?:file )?p(?: file)?\b", "p", told), paths


def _is_balanced(line: str) -> bool:
    return all(line.count(opener) == line.count(closer) for opener, closer in ("()", "[]", "{}"))


def lines_named(text: str) -> tuple[int, int]:
    """The lines that words right above a fence ask to replace by it, by their numbers; zeros where they name none."""
    found = re.findall(_LINES, text, re.IGNORECASE)
    if len(found) != 1 or not asks_for_change(text):
        return 0, 0
    first, last = int(found[0][0]), int(found[0][1] or found[0][0])
    return (first, last) if 0 < first <= last else (0, 0)


# ── one line ─────────────────────────────────────────────────────────────────────────────────────


def line_edits(line: str) -> list[LineEdit]:
    """The edits that a sentence is: "Change line 27 from `a` to `b`", "In `a.py`, change `a = 1` to `a = 2`"."""
    if "`" not in line:
        return []
    found = re.search(_LINE_EDIT, line, re.IGNORECASE) if "line" in line.lower() else None
    if found is not None:
        if not found[1].strip("0") or not _is_asked(line, found.start()):
            return []
        path = _path_beside(line, (found[4], found[6]))
        return [LineEdit(int(found[1]), found[4].strip(" "), found[6].strip(" "), path)]
    return _inline_edits(line)


def _inline_edits(line: str) -> list[LineEdit]:
    """The edits of a sentence without a number; none where it holds others that can't be told."""
    matches = list(re.finditer(_INLINE, line))
    if not matches or line.lstrip()[:1] == ">" or line.rstrip().endswith(":"):
        return []
    start = max((end.end() for end in re.finditer(r"[.!?;]\s+", line[: matches[0].start()])), default=0)
    lead, tail = (_with_paths_as_p(words) for words in (line[start : matches[0].start()], line[matches[-1].end() :]))
    between = [line[one.end() : two.start()] for one, two in pairwise(matches)]
    if not re.fullmatch(_ORDER, lead.lstrip("#*_- \t0123456789.)"), re.IGNORECASE) or re.search(
        rf"{_NOT_NOW}|\btests?\b", tail, re.IGNORECASE
    ):
        return []
    if not re.match(_TAIL, tail, re.IGNORECASE) or not all(re.fullmatch(_JOINT, words) for words in between):
        return []
    pairs = [(pair[2], pair[4]) for pair in matches]
    if line.rstrip().endswith("?") or not all(_is_statement(old) for old, _ in pairs):
        return []
    path = _path_beside(line, [text for pair in pairs for text in pair])
    return [LineEdit(0, old.strip(" "), new.strip(" "), path) for old, new in pairs]


def _with_paths_as_p(words: str) -> str:
    """Words with p for each path in them."""
    for path in paths_in(words):
        words = words.replace(f"`{path}`", "p").replace(path, "p")
    return words


def _is_statement(text: str) -> bool:
    """Whether a text is more than a name or a number, which may be meant everywhere: `timeout=30`, `run(x)`."""
    return len(re.findall(r"\w+", text)) > 1 and re.search(r"[^\w\s.,/-]", text) is not None


def undone(line: str) -> str:
    """The first name that a line of prose asks to remove, rename or replace; "" where it asks for no such thing."""
    asked = re.match(_UNDONE, line.strip().lstrip("#*_- \t0123456789.)"), re.IGNORECASE) if "`" in line else None
    if asked is None or line.rstrip().endswith(("?", ":")) or re.search(_NOT_NOW, line, re.IGNORECASE):
        return ""
    return "" if _is_against(re.sub(r"`[^`]*`", " x ", line)) else (asked[1] or asked[2]).strip()


def _is_asked(line: str, start: int) -> bool:
    """Whether a sentence asks for what begins at a place in it."""
    before = re.split(r"(?<=[.!?;])\s+", re.sub(r"`[^`]*`", " x ", line[:start]))[-1].strip("#*_-> \t0123456789.)")
    return not (re.match(_IDLE, before, re.IGNORECASE) or _is_unwanted(before) or line.rstrip().endswith("?"))


def _path_beside(line: str, texts: Iterable[str]) -> str:
    """The one path that a line names beside some texts; "" for none or several."""
    for text in texts:
        line = line.replace(text, " ", 1)
    paths = paths_in(line)
    return next(iter(paths)) if len(paths) == 1 else ""
