"""Tells lines that stand for code left out ("… existing code …") from lines that are meant. Pure; reads no patch."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

_LONGEST = 160
_MOST_WORDS = 9

# What comments open and close with; the longer ones first, so that `<!--` is not read as something shorter.
_COMMENTS = (
    ("{/*", "*/}"), ("<%--", "--%>"), ("<!--", "-->"), ("--[[", "]]"), ("{{!--", "--}}"), ("/*", "*/"), ("{#", "#}"),
    ("(*", "*)"), ("#=", "=#"), ("@*", "*@"), ("//", ""), ("#", ""), ("--", ""), (";", ""), ("%", ""), ("' ", ""),
    ("! ", ""), ("rem ", ""), ("REM ", ""), ("dnl ", ""),
)  # fmt: skip
_BRACKETS = (("(", ")"), ("[", "]"), ("<", ">"), ("{", "}"))
_DECORATION = " \t-=*#~_/:!|"

# A comment of nothing but these words, one of the keys among them, leaves code out even without any dots.
_WORDS = {
    "plain": "the a your our this that these of in for to and all any rest remainder remaining existing other previous"
    " original current same unchanged unmodified untouched unaltered omitted elided snipped truncated skipped removed"
    " hidden code file function functions method methods class classes implementation implementations content contents"
    " logic body component module script template document page source lines block section part everything else stuff"
    " remains remain stays stay is are was were continues continue goes go as before here below brevity clarity keep"
    " kept leave left no not change changes changed shown it them still exactly above just snip etc",
    "subject": "code file function method class implementation content contents logic body component module script"
    " template document page source",
    "first": "rest the remaining existing unchanged same keep no code",
    "lead": "rest the remaining existing unchanged same keep no code rem dnl",
}
# What a mark begins with, unless with a word: comments, brackets, dots.
_LEADS = frozenset("{<-/(#@;%'!.[")
# With what it may begin at all: one of those, or such a word.
_BEGINS = _LEADS.union(*(word[0] + word[0].upper() for word in _WORDS["lead"].split()))
_KEYS = (
    "existing code", "remaining code", "other code", "previous code", "original code", "unchanged", "unmodified",
    "omitted", "untouched", "unaltered", "remains the same", "remain the same", "stays the same", "stay the same",
    "same as before", "is the same", "as before", "not shown", "for brevity", "for clarity", "existing implementation",
    "existing logic", "existing content", "no changes here", "no change here", "code here", "snip", "snipped",
)  # fmt: skip
# Behind dots at the beginning of a comment these are enough.
_HINTS = (
    "exist", "rest", "remain", "other", "unchanged", "unmodified", "same", "previous", "before", "omit", "more", "code",
    "logic", "implementation", "content", "as is", "elided", "snip", "etc", "continue", "keep", "stay", "here", "above",
    "body", "method", "function", "class", "field", "import", "line", "test", "setup", "init",
)  # fmt: skip
_BEGINNINGS = ("rest of", "the rest of", "remaining ", "existing ", "other ", "previous ", "more ", "keep existing ")
# As above, said in other languages.
_ABROAD = (
    "restlicher code", "rest des codes", "rest der datei", "rest der klasse", "rest der funktion", "bestehender code",
    "vorhandener code", "bleibt unverändert", "bleibt gleich", "unverändert", "wie bisher", "wie zuvor",
    "reste du code", "reste du fichier", "code existant", "inchangé", "sans changement",
    "resto del código", "resto del codigo", "resto del archivo", "código existente", "codigo existente", "sin cambios",
    "resto do código", "resto do codigo", "resto do arquivo", "sem alterações", "sem alteracoes", "inalterado",
    "resto del codice", "resto del file", "codice esistente", "invariato", "rest van de code", "bestaande code",
    "ongewijzigd", "reszta kodu", "istniejący kod", "bez zmian", "zbytek kódu", "beze změn", "mevcut kod",
    "kodun geri kalanı", "остальной код", "остальная часть", "существующий код", "без изменений", "решта коду",
    "без змін", "其余代码", "其他代码", "剩余代码", "现有代码", "原有代码", "已有代码", "保持不变", "代码不变",
    "其餘程式碼", "现有的代码", "省略", "既存のコード", "残りのコード", "変更なし", "そのまま",
    "기존 코드", "나머지 코드", "변경 없음", "생략",
)  # fmt: skip
_PARTS = ("chang", "modif", "same", "before", "exist", "rest", "code", "alter", "snip", "wie ")
_phrases: dict[str, list[str]] = {}
_vocabularies: dict[str, frozenset[str]] = {}
_cache: dict[str, re.Pattern[str]] = {}


def is_mark(line: str, bare: bool = False) -> bool:
    """Whether a line stands for code that was left out.

    `bare`: dots alone on a line count too; in Python, for one, they are a statement.
    """
    if not may_be_mark(line):
        return False
    text = line.strip()
    if not text.strip(".…"):
        return bare and _is_dots(text)
    inner, commented = _uncommented(text)
    if not commented and not _may_be_plain(inner):
        return False
    core, bracketed = _unwrapped(inner)
    if not core.strip(".… "):
        return _is_dots(core.replace(" ", "")) and (commented or (bare and bracketed))
    return _says_so(core, commented or bracketed)


def may_be_mark(line: str) -> bool:
    """A cheap look at one line: False only where it is no mark."""
    text = line.strip()
    if not text or len(text) > _LONGEST:
        return False
    lead = text[0]
    if lead in _LEADS or lead > "\x7f":
        return True
    return lead in _BEGINS and text.split(None, 1)[0].lower() in _vocabulary("lead")


def may_be_marks(lines: Sequence[str]) -> Iterator[int]:
    """The rows of the lines that may be marks."""
    for row, line in enumerate(lines):
        lead = line.lstrip()[:1]
        if (lead in _BEGINS or not lead.isascii()) and may_be_mark(line):
            yield row


def may_hold_marks(text: str) -> bool:
    """A cheap look at a whole text: False only where no line of it is a mark."""
    if "..." in text or "…" in text:
        return True
    low = text.lower()
    if not low.isascii() and any(phrase in low for phrase in _ABROAD):
        return True
    # Few short parts, one of which is in every phrase, are looked for first.
    parts = _by_part()
    return any(phrase in low for part in filter(low.__contains__, parts) for phrase in parts[part])


def _by_part() -> dict[str, list[str]]:
    if not _phrases:
        found: dict[str, list[str]] = {}
        for phrase in (*_KEYS, "rest of", *filter(str.isascii, _ABROAD)):
            part = next((part for part in _PARTS if part in phrase), phrase)
            found.setdefault(part, []).append(phrase)
        _phrases.update(found)  # at once: another thread may be asking
    return _phrases


# ── what a line is dressed in ────────────────────────────────────────────────────────────────────


def _is_dots(text: str) -> bool:
    return len(text.replace("…", "...")) >= 3


def _uncommented(text: str) -> tuple[str, bool]:
    """The text inside a comment that takes the whole line."""
    if text.startswith(("... ", "… ", "...\t")):
        behind = text.lstrip(".… \t")
        inner, commented = _uncommented(behind)
        return (f"... {inner}", True) if commented else (text, False)
    for opener, closer in _COMMENTS:
        if text.startswith(opener) and text.endswith(closer):
            inner = text[len(opener) : len(text) - len(closer)]
            return inner.strip(_DECORATION), True
    return text, False


def _may_be_plain(text: str) -> bool:
    """Whether a line without comment signs is worth a look: most code isn't."""
    if text.startswith(("...", "…", "(", "[", "<", "{")):
        return True
    return text.split(None, 1)[0].lower() in _vocabulary("first") or not text[0].isascii()


def _unwrapped(text: str) -> tuple[str, bool]:
    for opener, closer in _BRACKETS:
        if text.startswith(opener) and text.endswith(closer) and len(text) > 2:
            return text[1:-1].strip(), True
    return text, False


# ── what it says ─────────────────────────────────────────────────────────────────────────────────


def _says_so(core: str, dressed: bool) -> bool:
    """Whether the words, with or without dots around them, say that something is left out."""
    leading, trailing = core.startswith(("...", "…")), core.endswith(("...", "…"))
    said = core.strip(".… ")
    low = " ".join(_words(said.lower()))
    if not low or low.count(" ") >= _MOST_WORDS:
        return False
    if any(phrase in low for phrase in _ABROAD):
        return dressed or leading or trailing
    if not dressed and leading and not core.lstrip(".…")[:1].isspace():
        # `...rest,` spreads a value.
        return False
    if leading and trailing:
        return True
    if leading and any(hint in low for hint in _HINTS):
        return dressed or _is_said_plainly(low)
    if trailing and dressed and low.startswith(_BEGINNINGS):
        return True
    return _is_said_plainly(low)


def _words(text: str) -> list[str]:
    pattern = _cache.get("words")
    if pattern is None:
        import re

        pattern = _cache["words"] = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
    return pattern.findall(text)


def _is_said_plainly(low: str) -> bool:
    words = low.split()
    if not _vocabulary("plain").issuperset(words):
        return False
    if any(f" {key} " in f" {low} " for key in _KEYS):
        return True
    return ("rest of" in low or "remainder of" in low) and not _vocabulary("subject").isdisjoint(words)


def _vocabulary(name: str) -> frozenset[str]:
    if name not in _vocabularies:
        _vocabularies[name] = frozenset(_WORDS[name].split())
    return _vocabularies[name]
