"""Blank what the grammars of C and C++ can't read: macros that are neither a type nor a name, and torn branches.

    class API Name {        `API` is blanked
    NODISCARD int f();      `NODISCARD` is blanked
    DWORD f();              stays: it may be the type of `f`

    #if A                   only the first branch stays: each opens a brace, and one line below closes it
    f(int a) {
    #else
    f() {
    #endif

What is blanked becomes spaces, so that every offset stays. A macro is a word in capitals, maybe with arguments; what is
right before it and after it decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from .languages import C_STYLE
from .lexer import Span, blank_out, mask, replace_spans, tokens

_DIRECTIVE = re.compile(r"^[ \t]*+#(?:[^\n\\]|\\\r?\n|\\.)*+", re.MULTILINE)
_ARGUMENTS = r"[ \t]*+\((?:[^()]{0,400}+(?:\((?:[^()]{0,400}+(?:\([^()]{0,400}+\))?+){0,20}+\))?+){0,20}+\)"
_NAME = r"(?<!\w)_*+[A-Z][A-Z0-9_]{2,}+(?!\w)"
_MACRO = rf"{_NAME}(?:{_ARGUMENTS})?+"
_TYPE_KEYWORD = r"\b(?:class|struct|union|enum|namespace)"
_KEYWORD = r"(?:template|void|int|public|private|protected|return|if|for|while|switch)\b"
_NOT_A_TYPE = r"\b(?:static|extern|inline|virtual|constexpr|friend|typedef|return)\b"
_AFTER_PARAMETERS = r"(?:const|noexcept|override|final)\b"
_WORD = rf"(?!{_AFTER_PARAMETERS})[A-Za-z_]\w*+"
_TYPE = rf"(?:const\s+)?{_WORD}(?:\s*+::\s*+\w++)*+(?:\s*+<[^;{{}}()]{{0,300}}>)?"
_BEGIN = rf"(?:^|[;{{}}:>,(]|{_NOT_A_TYPE})$"
_PARAMETERS = (  # of a function: not `(int) VALUE;`, not `struct alignas(8) NAME {`
    rf"^(?!.*(?:{_TYPE_KEYWORD}\s+\w+|[=(,]|return|if|while)\s*\((?:[^()]|\([^()]*\))*\)$)"
    rf".*\)\s*(?:{_AFTER_PARAMETERS}\s*)*$"
)
_BEFORE = 100  # characters before a macro that are looked at


def _rule(before: str, after: str, macro: str = _MACRO) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile what a text ends in before a macro, and the macro with what follows it; other macros may be between."""
    whole = rf"(?P<macro>{macro})\s*+(?:{_MACRO}\s*+){{0,4}}(?:{after})"
    return re.compile(before, re.DOTALL), re.compile(whole)


_RULES = (
    # class API Name {    namespace std VISIBLE(default) {
    _rule(rf"{_TYPE_KEYWORD}$", r"\w[\w:<>,\s]{0,200}(?:\{|:(?!:))"),
    _rule(rf"{_TYPE_KEYWORD}\s+[\w:]+$", r"\{|:(?!:)"),
    # NODISCARD static f();    NODISCARD std::string f();    EXPLICIT Name(int a) : a(a) {}    VIRTUAL ~Name();
    _rule(_BEGIN, rf"{_KEYWORD}|~"),
    _rule(_BEGIN, rf"{_TYPE}\s*[*&A-Za-z_]"),
    _rule(_BEGIN, rf"(?:\w+\s*::\s*)*\w+{_ARGUMENTS}\s*:(?!:)"),
    # CHECK(a) f();    ASSIGN_OR_RAISE(auto a, f());    END_NAMESPACE
    _rule(_BEGIN, r"[A-Za-z_;]", rf"{_NAME}{_ARGUMENTS}"),
    _rule(r"(?:^|[;}])$", r"\}|\Z"),
    # static INLINE int f();    int WINAPI f();    void f() NOTHROW;    void f() const NOEXCEPT {
    _rule(rf"(?:(?!{_NOT_A_TYPE})\b\w+|[*&])$", rf"(?:{_WORD}|~\w+)\s*+(?:::|[(\w*&<])"),
    _rule(_PARAMETERS, rf"[;={{:]|{_AFTER_PARAMETERS}"),
    # f(BAD_CAST key);
    _rule(r"[(,=]$", r"\w+\s*(?:[,)\[.]|->)"),
)


def without_macros(text: str) -> str:
    """Blank the macros of a text, in all branches."""
    code, _ = _split_directives(text)
    return _blanked(text, _macros(code))


def readings(data: bytes) -> Iterator[bytes]:
    """Yield a text as a grammar may read it: without macros and torn branches, then with first branches only."""
    text = data.decode("latin-1")  # a character for each byte
    code, directives = _split_directives(text)
    macros = _macros(code)
    torn = _other_branches(text, code, directives, only_torn=True)
    yield _blanked(text, sorted(macros + torn)).encode("latin-1") if macros or torn else data
    branches = _other_branches(text, code, directives, only_torn=False)
    if branches != torn:
        yield _blanked(text, sorted(macros + branches)).encode("latin-1")


def _split_directives(text: str) -> tuple[str, list[Span]]:
    """Return the text with directives and comments as spaces and strings as "_"; and where directives are."""
    masked = mask(text, tokens(text, C_STYLE))
    directives = [match.span() for match in _DIRECTIVE.finditer(masked)]
    return _blanked(masked, directives), directives


def _macros(code: str) -> list[Span]:
    """List the macros that can be blanked."""
    spans: list[Span] = []
    before = ""
    end = 0  # the code up to here is in `before`, as far as it isn't blanked
    for name in re.finditer(_NAME, code):
        start = name.start()
        if start < end:
            continue  # it is among the arguments of another macro
        before = (before + code[end:start]).rstrip()[-_BEFORE:]
        end = start
        for before_pattern, pattern in _RULES:
            if before_pattern.search(before) and (match := pattern.match(code, start)):
                end = match.end("macro")
                spans.append((start, end))
                break
    return spans


def _other_branches(text: str, code: str, directives: Iterable[Span], *, only_torn: bool) -> list[Span]:
    """List all but the first branch of each conditional, with its directives.

    `only_torn`: of those conditionals only whose branches all leave the same brackets open.
    """
    spans: list[Span] = []
    open_ifs: list[list[tuple[int, int, tuple[int, int]]]] = []
    at = braces = parentheses = 0
    for start, end in directives:
        piece, at = code[at:start], end
        braces += piece.count("{") - piece.count("}")
        parentheses += piece.count("(") - piece.count(")")
        turn = (start, end, (braces, parentheses))
        word = text[start:end].lstrip(" \t#")
        if word.startswith("if"):
            open_ifs.append([turn])
        elif open_ifs and word.startswith("el"):
            open_ifs[-1].append(turn)
        elif open_ifs and word.startswith("endif"):
            turns = [*open_ifs.pop(), turn]
            left_open = {(b[0] - a[0], b[1] - a[1]) for (*_, a), (*_, b) in pairwise(turns)}
            if not only_torn or (len(left_open) == 1 and left_open != {(0, 0)}):
                spans += [turns[0][:2], (turns[1][0], end)]
    return spans


def _blanked(text: str, spans: Iterable[Span]) -> str:
    """Return the text with spaces in place of some spans, which are sorted and may be inside one another."""
    return replace_spans(text, ((*span, 0) for span in spans), lambda piece, _: blank_out(piece, " "))
