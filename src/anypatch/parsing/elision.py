"""Tells lines that stand for code left out ("… existing code …") from lines that are meant. Pure; reads no patch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from ..model import TOLERANT, Edit, Hunk, join_lines
from . import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.languages import Language


_LONGEST = 160
_MOST_WORDS = 9
_NEAR = 200  # lines above dots that are looked at to tell what they are

# What comments open and close with; the longer ones first, so that `<!--` is not read as something shorter.
_COMMENTS = (
    ("{/*", "*/}"), ("<%!--", "--%>"), ("<%--", "--%>"), ("<%#", "%>"), ("<#--", "-->"), ("<!--", "-->"), ("<#", "#>"),
    ("--[[", "]]"), ("{{!--", "--}}"), ("{{--", "--}}"), ("{{/*", "*/}}"), ("{{!", "}}"), ("/*", "*/"), ("{#", "#}"),
    ("{-", "-}"), ("{% comment %}", "{% endcomment %}"), ("(*", "*)"), ("#=", "=#"), ("@*", "*@"), ("//", ""),
    ("#", ""), ("-#", ""), ("--", ""), (";", ""), ("%", ""), ("' ", ""), ("! ", ""), ("rem ", ""), ("REM ", ""),
    ("dnl ", ""),
)  # fmt: skip
# Comment signs that are operators or sigils where a word follows right behind them.
_TOUCHING = ("#", "--", ";", "%")
_BRACKETS = (("(", ")"), ("[", "]"), ("<", ">"), ("{", "}"))
_DOTS = ("...", "…")
_DECORATION = " \t-=*#~_/:!|;%"
# What stands around `... existing code ...` in any language, or in a page that sets it off (`*... the rest ...*`).
_DRESS = _DECORATION + "@>\\+,"

# A comment of nothing but these words, one of the keys among them, leaves code out even without any dots.
_PLAIN = words(
    "the a your our this that these of in for to and all any rest remainder remaining existing other previous"
    " original current same unchanged unmodified untouched unaltered omitted elided snipped truncated skipped removed"
    " hidden code file function functions method methods class classes implementation implementations content contents"
    " logic body component module script template document page source lines block section part everything else stuff"
    " remains remain stays stay is are was were continues continue goes go as before here below brevity clarity keep"
    " kept leave left no not change changes changed shown it them still exactly above just snip etc so on forth"
)
_SUBJECTS = words(
    "code file function method class implementation content contents logic body component module script template"
    " document page source"
)
# What a mark begins with: comments, brackets, dots, or one of these words.
_FIRST_SIGNS = frozenset("{<-/(#@;%'!.[:*>_")
_FIRST_WORDS = words("rest the remaining existing unchanged same keep no code rem dnl")
_INITIALS = _FIRST_SIGNS.union(*[(word[0], word[0].upper()) for word in _FIRST_WORDS])
_KEYS = (
    "existing code", "remaining code", "other code", "previous code", "original code", "unchanged", "unmodified",
    "omitted", "truncated", "untouched", "unaltered", "remains the same", "remain the same", "stays the same",
    "stay the same", "same as before", "is the same", "as before", "not shown", "for brevity", "for clarity",
    "existing implementation", "existing logic", "existing content", "no changes here", "no change here", "code here",
    "snip", "snipped", "etc", "and so on", "and so forth",
)  # fmt: skip
# Behind dots at the beginning of a comment these are enough.
_HINTS = (
    "exist", "rest", "remain", "other", "unchanged", "unmodified", "same", "previous", "before", "omit", "more", "code",
    "logic", "implementation", "content", "as is", "elided", "snip", "etc", "continue", "keep", "stay", "here", "above",
    "body", "method", "function", "class", "field", "import", "line", "test", "setup", "init",
)  # fmt: skip
# With what a comment goes on behind dots that leave something out, not a sentence that began above.
_FIRST = (
    "rest", "the rest", "the remaining", "the same", "the other", "the existing", "remain", "other", "exist", "more",
    "previous", "same", "unchanged", "unmodified", "code", "your", "all ", "any ", "as ", "keep", "omit", "snip", "etc",
    "continue", "elided", "and so on", "original", "current", "similar", "additional", "further", "no change",
    "implementation", "logic", "content", "body", "method", "function", "class", "field", "import", "line", "test",
    "setup", "init", "here", "above", "before",
)  # fmt: skip
# What is yet to be written is not left out (`// ... your logic here ...`), unless it speaks of what is there.
_TO_BE_WRITTEN = ("your ", "add ", "implement ", "todo", "insert ", "put ", "perform ", "write ")
_KEPT = ("exist", "rest of", "remain", "unchanged", "unmodified", "same", "previous", "omit", "original", "before")
_BEGINNINGS = ("rest of", "the rest of", "remaining ", "existing ", "other ", "previous ", "more ", "keep existing ")
# As above, said in other languages.
_ABROAD = (
    "restlicher code", "restliche code", "rest des codes", "rest der datei", "rest der klasse", "rest der funktion",
    "bestehender code", "vorhandener code", "bleibt unverändert", "bleibt gleich", "unverändert", "wie bisher",
    "wie zuvor", "wie gehabt", "bleibt alles", "reste du code", "reste de votre code", "reste du fichier",
    "code existant", "inchangé", "sans changement", "reste est identique", "resto del código", "resto del codigo",
    "resto del archivo", "código existente", "codigo existente", "sin cambios", "código permanece igual",
    "resto sigue igual", "el resto igual", "restante do código", "permanece o mesmo", "resto do código",
    "resto do codigo", "resto do arquivo", "sem alterações", "sem alteracoes", "inalterado", "resto del codice",
    "resto del file", "codice esistente", "invariato", "resto rimane uguale", "rest van de code", "bestaande code",
    "ongewijzigd", "reszta kodu", "pozostały kod", "istniejący kod", "bez zmian", "zbytek kódu", "beze změn",
    "mevcut kod", "kodun geri kalanı", "geri kalan kod", "phần còn lại", "sisa kode", "بقية الكود", "باقي الكود",
    "остальной код", "остальная часть", "существующий код", "без изменений", "остальное как было", "решта коду",
    "без змін", "其余代码", "其他代码", "剩余代码", "现有代码", "原有代码", "已有代码", "保持不变", "代码不变",
    "其餘程式碼", "现有的代码", "其余不变", "其他不变", "方法不变", "部分不变", "代码与之前相同", "省略",
    "既存のコード", "残りのコード", "変更なし", "そのまま", "残りは同じ", "以下同じ", "기존 코드", "나머지 코드",
    "나머지는 동일", "나머지는 그대로", "이하 동일", "코드는 동일", "변경 없음", "생략",
)  # fmt: skip
# "Continuing from where I left off:", "Here is the rest of the file:" between two answers that were put together.
_RESUMED = (
    r"\W*(?:continu(?:e|ing|ed)\b[^=;{}]{0,60}\b(?:left off|cut off)"
    r"|here(?:['’]s| is) the (?:rest|remainder|continuation) of\b)[^=;{}]{0,60}$"
)
_RESUMING = ("left off", "cut off", "the rest of", "remainder of", "continuation of")
_IN_ASCII = (*_KEYS, "rest of", *filter(str.isascii, _ABROAD))
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".tex", ".text")
_NO_PROSE = ("cmakelists", "requirements", "constraints")
_PYTHON = ("py", "pyi", "pyx", "pyw", "pxd")
_TRIPLE = ('"""', "'''")
# Languages in which dots are a statement, and those in which they are an argument.
_YADA = ("pl", "pm", "t", "raku", "p6")
_VARIADIC = (
    "c", "h", "cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "inl", "ipp", "tpp", "ino", "cu", "cuh", "m", "mm", "r",
    "lua", "luau", "rb", "php", "d", "swift", "zig", "vala", "nim", "cr",
)  # fmt: skip


def is_mark(line: str, bare: bool = False, prose: bool = False) -> bool:
    """Whether a line stands for code that was left out: a comment, or dots, with words of that kind and no code.

    `bare`: dots alone on a line count too; where they may be code, `dots_may_be_meant` tells. `prose`: the file is
    text, in which only dots on both sides or a page's comment say so: `# Unchanged` is a heading there.
    """
    text = line.strip()
    if not _may_be_mark(text):
        return False
    if is_dots(text):
        return bare and not prose
    inner, commented = _uncommented(text)
    core = _unwrapped(inner)
    if prose and not text.startswith("<!--") and not (core.startswith(_DOTS) and core.endswith(_DOTS)):
        # `(rest of the list ...)` is no sentence.
        return not commented and core != inner and _is_said_with_dots(core)
    if not core.strip(".… "):
        # In text for people `# ...` is a line of an example.
        return commented and is_dots(core.replace(" ", "")) and (not prose or text.startswith("<!--"))
    if not commented:
        return _is_said_with_dots(core)
    if text.startswith(_DOTS):
        # `...  # unchanged`; but `...  # implemented elsewhere` is a stub.
        return _is_said_plainly(_joined(core))
    if text[0] in "%!'" and not is_dotted(text):
        return False  # `% unchanged` is code in most languages
    return _is_plain_text(core) and _says_so(core)


def is_dots(line: str) -> bool:
    """Whether a line is dots alone, three or more, upright or spaced, or `[...]`, `{{ ... }}`."""
    bare = line.strip()
    if bare in ("[...]", "(...)", ". . .", "⋮", "{{ ... }}"):
        return True
    return not bare.strip(".…") and len(bare.replace("…", "...")) >= 3


def begins_with_dots(line: str) -> bool:
    """Whether a line is a comment whose words come behind dots: `# ... the usual checks`."""
    if not is_dotted(line):
        return False
    inner, commented = _uncommented(line.strip())
    core = _unwrapped(inner)
    return commented and core.startswith(_DOTS) and any(map(str.isalnum, core))


def is_dotted(mark: str) -> bool:
    """Whether a mark has dots, not only words that a comment may have anyway (`# unchanged`)."""
    return "..." in mark or "…" in mark


def reads_as_mark(line: str) -> bool:
    """Whether words alone, without comment signs, say that code is left out: never expanded, never written.

    In brackets one is enough: `[unchanged]`, `... [truncated]`.
    """
    bare = line.strip(_DECORATION)
    core = _unwrapped(bare.lstrip(".… "))
    words = _joined(core)
    return words.count(" ") >= (0 if core != bare else 2) and _is_plain_text(core) and _is_said_plainly(words)


def resumes(line: str) -> bool:
    """Whether a line says that an answer goes on which was cut off: "Continuing from where I left off:"."""
    return line[:1] in "*([CcHh" and re.match(_RESUMED, line, re.IGNORECASE) is not None


def is_prose(path: str) -> bool:
    """Whether a file is text for people, by its name."""
    name = path.lower().rpartition("/")[2]
    return name.endswith(_PROSE) and not name.startswith(_NO_PROSE)


def marks_in(path: str, body: Sequence[str]) -> list[int]:
    """The rows of a file's contents that stand for code left out.

    Dots alone aren't among them where they may be code, nor what stands in a string, or in an example in a page.
    """
    if not may_hold_marks("\n".join(body)):
        return []
    prose = is_prose(path)
    rows = [
        row
        for row in may_be_marks(body)
        if is_mark(body[row], bare=True, prose=prose)
        and not (is_dots(body[row]) and dots_may_be_meant(path, body, row))
    ]
    if not rows:
        return []  # what follows takes a lexer
    if prose:
        # What follows a mark may end within a fence that it opens: the same words are a mark there, too.
        marks = {body[row].strip() for row in outside_examples(body, rows, path)}
        return [row for row in rows if body[row].strip() in marks]
    from ..syntax.languages import language_of

    language = language_of(path)
    if language is None or language.family == "xml":
        return rows
    # A part may begin or end within a docstring: what is a mark elsewhere is one there, too.
    strings = set(_in_strings(body, rows, language))
    marks = {body[row] for row in rows if row not in strings}
    return [row for row in rows if row not in strings or body[row] in marks]


def outside_examples(lines: Sequence[str], rows: list[int], path: str) -> list[int]:
    """Of some rows of a text for people, which may be marks, those in no fence; a longer fence holds shorter ones.

    What follows a mark may begin within a fence: then the next one without a word behind it closes that.
    """
    outside: list[int] = []
    fences = ("```",) if path.lower().endswith(".rst") else ("```", "~~~")  # tildes underline a heading there
    asked = set(rows)
    opener, certain = "", True
    for row, line in enumerate(lines) if rows else ():
        bare = line.strip()
        if row in asked and not opener:
            outside.append(row)
            certain = False
        if opener:
            opener = "" if bare.startswith(opener) and not bare.strip(opener[0]) else opener
        elif bare.startswith(fences):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            opener = fence if certain or bare != fence else ""
            certain = True
    return outside


def _in_strings(body: Sequence[str], marks: list[int], language: Language) -> Iterator[int]:
    """Of rows that may be marks those inside of strings, as the text is read from the last mark on.

    # ... existing code ...          What follows a mark may begin within a string: these quotes close one,
        More of a docstring.         and the next mark isn't in it.
        "" "
        run()
    # ... existing code ...
    """
    text = "\n".join(body)
    starts = [0, *accumulate(len(line) + 1 for line in body)]
    begin, certain = 0, True  # from where it is read, and whether that is surely outside of any string
    for row in marks:
        if starts[row] < begin:
            yield row
            continue
        opened = _open_string(text, begin, starts[row], language)
        if opened and not certain and _closes(text, begin, *opened):
            begin, certain = sum(opened), True
            opened = _open_string(text, begin, starts[row], language)
        quotes = text[opened[0] : sum(opened)].lstrip(_LETTERS) if opened else ""
        end = text.find(quotes, sum(opened)) if opened else -1
        # A docstring may be left out from its second line on; then the next quotes open another one.
        if end >= 0 and _closes(text, begin, end, len(quotes)):
            begin, certain = end + len(quotes), True
            yield row
        else:
            begin, certain = starts[row + 1], False


def _open_string(text: str, begin: int, end: int, language: Language) -> tuple[int, int] | None:
    """Where a string opens that isn't closed before `end`, and how long its opening quotes are."""
    from ..syntax.lexer import STRING, tokens

    stretch = text[begin:end]
    last = next(iter(tokens(stretch, language)[-1:]), None)
    if last is None or last[2] != STRING or last[1] < len(stretch) or "\n" not in stretch[last[0] :]:
        return None
    start = begin + last[0]
    size = 1
    while text[start + size - 1].isalpha():
        size += 1
    quote = text[start + size - 1]
    return start, size + 2 * (text[start + size - 1 : start + size + 2] == 3 * quote)


def _closes(text: str, begin: int, start: int, size: int) -> bool:
    """Whether quotes that seem to open a string rather close one: nothing but brackets stands behind them."""
    line_start = max(begin, text.rfind("\n", begin, start) + 1)
    before, behind = text[line_start:start].strip(), text[start + size :].partition("\n")[0]
    above = before or text[begin:line_start].rstrip()
    return not any(map(str.isalnum, behind)) and not above.endswith((":", "(", "=", ",", "[", "{", "+", "return"))


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def dots_may_be_meant(path: str, lines: Sequence[str], row: int) -> bool:
    """Whether dots alone on a line may be code or text there.

    A Python body that is nothing else (`def f(): ...`), an argument in brackets (C's and R's `...`), YAML's end of a
    document, text for people.
    """
    if is_prose(path):
        return True
    suffix = path[path.rfind(".") + 1 :].lower()
    if suffix in ("yaml", "yml"):
        below = next((lines[at] for at in range(row + 1, len(lines)) if lines[at].strip()), "---")
        return not lines[row][:1].isspace() and below.startswith(("---", "%"))
    if suffix in _PYTHON:
        return _is_first_in_block(lines, row) or _is_in_brackets(lines, row)
    return suffix in _YADA or (suffix in _VARIADIC and _is_in_brackets(lines, row))


def _is_first_in_block(lines: Sequence[str], row: int) -> bool:
    """Whether nothing but a docstring and comments stands between a line and the header of its block."""
    deep = _depth(lines[row])
    quoted = ""
    for at in range(row - 1, max(row - _NEAR, 0) - 1, -1):
        bare = lines[at].strip()
        if quoted:
            quoted = "" if bare.startswith(quoted) or bare[1:].startswith(quoted) else quoted
        elif not bare or bare[0] == "#":
            continue
        elif _depth(lines[at]) < deep:
            return bare.partition("  #")[0].rstrip().endswith(":")
        elif bare.endswith(_TRIPLE):
            once = bare.startswith((*_TRIPLE, "r" + _TRIPLE[0])) and len(bare) > 5
            quoted = "" if once else bare[-3:]
        elif bare[0] not in "\"'" or bare[-1] != bare[0]:
            return False
    return False


def _is_in_brackets(lines: Sequence[str], row: int) -> bool:
    """Whether a bracket that is opened above a line is still open there; signs in strings and comments count little."""
    level = 0
    for line in reversed(lines[max(row - _NEAR, 0) : row]):
        if is_dots(line):
            continue
        code = line.partition("#" if "#" in line and '"' not in line and "'" not in line else "//")[0]
        for sign in reversed(code) if "(" in code or ")" in code or "[" in code or "]" in code else ():
            level += (sign in "([") - (sign in ")]")
            if level > 0:
                return True
        if level == 0 and code.rstrip().endswith((";", "}")):
            return False
    return False


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def may_be_marks(lines: Sequence[str]) -> Iterator[int]:
    """The rows of the lines that may be marks."""
    return (row for row, line in enumerate(lines) if _may_be_mark(line.strip()))


def _may_be_mark(text: str) -> bool:
    """A cheap look at one line: False only where it is no mark."""
    if not text or len(text) > _LONGEST:
        return False
    if text[0] in _FIRST_SIGNS or text[0] > "\x7f":
        return text[0] != "@" or text[1:2] == "*"  # `@pytest.fixture` is none, `@* … *@` may be
    return text.split(None, 1)[0].lower() in _FIRST_WORDS


def may_hold_marks(text: str) -> bool:
    """A cheap look at a whole text: False only where no line of it is a mark."""
    if any(map(text.__contains__, ("...", "…", "⋮", ". . ."))):
        return True
    if " of" in text and any(map(text.__contains__, _RESUMING)):
        return True
    lines = [line for line in map(str.strip, text.split("\n")) if line[:1] in _INITIALS or line[:1] > "\x7f"]
    low = "\n".join(filter(_may_be_mark, lines)).lower()
    return low != "" and any(map(low.__contains__, _IN_ASCII if low.isascii() else (*_IN_ASCII, *_ABROAD)))


# ── edits both sides of which leave code out ─────────────────────────────────────────────────────

# Where lines of dots may stand for code left out or for themselves, only the text itself may decide.
_TO_THE_LETTER = TOLERANT._replace(levels=("exact", "trailing space", "indentation"), readings=())


def cut_at_marks(path: str, old: list[str], new: list[str], whole: Hunk) -> Edit | None:
    """The edit of a text both sides of which leave out code, as often as each other; None for any other.

    def total(self):          becomes      def total(self, tax):      and the lines between stay; unless the dots stand
        ...                                    ...                    in the file, where all of it is text (`whole`)
        return price                           return price + tax
    """
    first = _left_out(path, old)
    second = _left_out(path, new) if first else []
    if not first or len(first) != len(second):
        return None
    hunks = []
    for a, b in zip(_cut(old, first), _cut(new, second), strict=True):
        # Blank lines beside a mark say nothing about where lines are added.
        kept = a if a == b or any(map(str.strip, a)) else []
        if kept or b:
            hunks.append(Hunk(join_lines(kept), join_lines(b), TOLERANT, patch_line=whole.patch_line))
    return Edit(path, tuple(hunks), whole.patch_line, whole=whole._replace(policy=_TO_THE_LETTER))


def _left_out(path: str, lines: list[str]) -> list[int]:
    """The rows that stand for code left out. Dots alone may be Python's own: whether they are, the file tells first."""
    if not may_hold_marks("\n".join(lines)):
        return []
    dots = [row for row, line in enumerate(lines) if is_dots(line) and not path.endswith(".pyi")]
    return sorted({*marks_in(path, lines), *dots})


def _cut(lines: list[str], cuts: list[int]) -> list[list[str]]:
    starts = [0, *(at + 1 for at in cuts)]
    return [lines[start:end] for start, end in zip(starts, [*cuts, len(lines)], strict=True)]


# ── what a line is dressed in ────────────────────────────────────────────────────────────────────


def _uncommented(text: str) -> tuple[str, bool]:
    """The text inside a comment that takes the whole line."""
    if text.startswith(("... ", "… ", "...\t")):
        behind = text.lstrip(".… \t")
        inner, commented = _uncommented(behind)
        return (f"... {inner}", True) if commented else (text, False)
    for opener, closer in _COMMENTS:
        if text.startswith(opener) and text.endswith(closer):
            inner = text[len(opener) : len(text) - len(closer)]
            # `--unchanged;` counts down, `#unchanged;` is a field; `/* a */ b(); /* c */` is code.
            if (opener in _TOUCHING and inner[:1].isalnum()) or (closer and closer in inner):
                continue
            return inner.strip(_DECORATION), True
    # Signs that no row has: `:: ... existing code ...`, `/ ... existing code ...`.
    inner = text.strip(_DRESS)
    return (inner if inner.startswith(_DOTS) and inner.endswith(_DOTS) else text), False


def _unwrapped(text: str) -> str:
    for opener, closer in _BRACKETS:
        if text.startswith(opener) and text.endswith(closer) and len(text) > 2:
            return text[1:-1].strip()
    return text


# ── what it says ─────────────────────────────────────────────────────────────────────────────────


def _is_plain_text(core: str) -> bool:
    """Whether a text is words and their punctuation: `unchanged = []` in a comment is code that was put aside."""
    return not any(sign in core for sign in "={}<>[]+*&|$@\\^%?;")


def _is_said_with_dots(core: str) -> bool:
    """Whether a line without comment signs says so: `... existing code ...`, but neither `...rest` nor `{...rest}`."""
    leading, trailing = core.startswith(_DOTS), core.endswith(_DOTS)
    words_between = core.strip(".… ")
    if not (leading or trailing) or not words_between.replace(" ", "").replace("'", "").isalnum():
        return False
    low = _joined(words_between)
    if low.count(" ") >= _MOST_WORDS:
        return False
    if leading and trailing:
        return any(hint in low for hint in _HINTS) or any(phrase in low for phrase in _ABROAD)
    if trailing and low.startswith(_BEGINNINGS) and _PLAIN.issuperset(low.split()):
        return True
    return " " in low and (_is_said_plainly(low) or any(phrase in low for phrase in _ABROAD))


def _says_so(core: str) -> bool:
    """Whether the words of a comment, with or without dots around them, say that something is left out."""
    leading, trailing = core.startswith(_DOTS), core.endswith(_DOTS)
    low = _joined(core.strip(".… "))
    if not low or low.count(" ") >= _MOST_WORDS:
        return False
    if low.startswith(_TO_BE_WRITTEN) and not any(word in low for word in _KEPT):
        return False
    if leading and trailing:
        return True
    phrases = [phrase for phrase in _ABROAD if phrase in low] if not low.isascii() or " " in low else []
    if phrases and (leading or trailing or 2 * sum(map(len, phrases)) >= len(low)):
        return True
    if leading and low.startswith(_FIRST) and any(hint in low for hint in _HINTS):
        return True
    if trailing and low.startswith(_BEGINNINGS):
        return True
    return _is_said_plainly(low)


def _joined(text: str) -> str:
    """The words of a text, in small letters, one blank between them."""
    return " ".join(re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.lower()))


def _is_said_plainly(low: str) -> bool:
    if not _PLAIN.issuperset(low.split()):
        return False
    if any(f" {key} " in f" {low} " for key in _KEYS):
        return True
    return ("rest of" in low or "remainder of" in low) and not _SUBJECTS.isdisjoint(low.split())
