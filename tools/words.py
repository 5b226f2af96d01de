"""Words and phrases that a native speaker wouldn't use, and what to write instead.

The one list for everything that people and models read: docstrings, comments, messages, help texts, prompts, pages.
`tests/test_words.py` holds them to it, `tools/house.py --list` shows what is left. What is quoted is left out.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

INSTEAD = {
    r"stand(?:s|ing)?\b(?! (?:for|alone|out|in the way))|stood\b": "is: a line is in a file, at the top, above another",
    r"(?<!there )(?<!here )(?:is|are) no (?!longer|more|way|place|need)": "isn't a: `x` isn't a command",
    r"pass(?:ed|es)? over": "skipped",
    r"behind": "after",
    r"com(?:e|es|ing) to\b(?! (?:mind|rest|light|a stop|an end))|came to": "results in, is",
    r"com(?:e|es) of|came of": "results from",
    r"tak(?:e|es|en|ing) back|took back": "undo",
    r"tak(?:es|en) for\b(?! (?:granted|each|all))": "treated as, mistaken for",
    r"told apart|tell apart": "distinguish",
    r"(?:said|told) twice": "repeated",
    r"(?:is|are|be) said": "says, is stated",
    r"meant\b(?! (?:to|for|as|it)\b)": "intended",
    r"line ends?\b(?! (?:in|a|it|the)\b)": "line ending",
    r"(?:is|are) there already|there already": "already exists, is already in the file",
    r"(?:isn't|is not|aren't|are not) there(?=[,.;:]|$)": "doesn't exist, is missing",
    r"mend(?:s|ed|ing)?|heal(?:s|ed|ing)?": "fix, correct",
    r"anew": "again",
    r"otherwise than": "differently from",
    r"speaks? of": "mentions",
    r"broken? off": "cut off, interrupted",
    r"nothing of it": "nothing",
    r"found out": "discovered, checked",
    r"obeys?": "follows",
    r"meanwhile": "in the meantime, since",
    r"so that no": "so that nothing, so that it doesn't",
    r"but for": "except for",
    r"in vain": "without effect",
    r"spelt|learnt": "spelled, learned",
    r"blanks": "spaces, white space",
    r"deeds?": "action",
    r"goes? by\b(?! (?:the name|another name))": "uses, depends on",
}
# A docstring says what a function does: "Return True if …", "Yield the lines that …".
_FRAGMENT = r"(?:What|Whether) (?!is\b)"

ODD = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b", re.IGNORECASE)
_FRAGMENTS = re.compile(_FRAGMENT)
_ANY_FRAGMENT = re.compile(rf"(?:\"\"\"|# *){_FRAGMENT}")
_QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"")
_SENTENCE = re.compile(r"[a-z]+,? [a-z]+,? [a-z]+", re.IGNORECASE)
_FENCED = re.compile(r"^( *(?P<fence>`{3,}|~{3,})).*?^ *(?P=fence)[`~]*$", re.MULTILINE | re.DOTALL)


def odd(text: str, *, is_description: bool = False) -> str:
    """Return the first odd words of a text, with what to write instead; "" if there are none.

    `is_description`: the text is a docstring or a comment, which must not be a fragment.
    """
    text = _QUOTED.sub("…", text)
    if match := ODD.search(text):
        advice = next(advice for pattern, advice in INSTEAD.items() if re.fullmatch(pattern, match[0], re.IGNORECASE))
        return f"{match[0]!r} (write: {advice})"
    if is_description and (match := _FRAGMENTS.match(text)):
        return f"a fragment that begins with {match[0]!r} (write a sentence: Return …)"
    return ""


def in_source(source: str) -> Iterator[tuple[int, str]]:
    """Yield the odd words in the docstrings, comments and messages of a module, with their lines."""
    if not ODD.search(source) and not _ANY_FRAGMENT.search(source):
        return
    tree = ast.parse(source)
    docstrings: set[ast.AST] = set()
    filled_in: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            docstrings |= {first.value for first in node.body[:1] if isinstance(first, ast.Expr)}
        elif isinstance(node, ast.JoinedStr):
            filled_in |= {part for part in node.values if isinstance(part, ast.Constant)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or node in filled_in:
            continue
        text = _text(node)
        is_message = _SENTENCE.search(text) and "(?" not in text  # not a regular expression
        if (node in docstrings or is_message) and (fault := odd(text, is_description=node in docstrings)):
            yield node.lineno, fault
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and (fault := odd(token.string.lstrip("# "), is_description=True)):
            yield token.start[0], fault


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the text of a string, with `…` for what is filled in; "" for numbers and the like."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return node.value if isinstance(node.value, str) else ""


def in_page(page: str) -> Iterator[tuple[int, str]]:
    """Yield the odd words of a page in Markdown, outside its fences, with their lines."""
    page = _FENCED.sub(lambda fence: "\n" * fence[0].count("\n"), page)
    for number, line in enumerate(page.split("\n"), 1):
        if fault := odd(line):
            yield number, fault
