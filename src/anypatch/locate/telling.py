"""Which of two results a file's language takes, where a patch can be indented in two ways. Pure; bounded.

Only Python is asked: it has a reader that minds indentation.
"""

from __future__ import annotations

from ..record import NamedTuple
from ..text import encode, indent_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fit import Fit
    from .page import Page

# So many bytes are parsed for one file, in all.
PARSED = 4 * 1024 * 1024
# Grammars and suffixes of languages in which indentation is a matter of taste, beside those with braces or tags.
_FREE = " ruby php lua bash julia ocaml elixir zig json jsonc json5 sql toml ini cfg conf properties pl pm r tex "


# Suffixes of others in which it says what belongs to what, as it does in Python.
_MINDING = " yaml yml hs lhs elm purs nim coffee pug jade haml slim sass styl fs fsx fsi gd pyx pxd bzl star "


class Read(NamedTuple):
    """Whether each of two results can be read, and whether they say the same."""

    one: bool
    two: bool
    same: bool = False


def is_free(path: str) -> bool:
    """Whether indentation surely says nothing in a file of this name."""
    from ..syntax.grammars import grammar_of
    from ..syntax.languages import language_of

    language = language_of(path)
    if language is not None:
        return language.family != "python"
    return f" {grammar_of(path) or path[path.rfind('.') + 1 :].lower()} " in _FREE


def minds_indentation(path: str) -> bool:
    """Whether indentation says what belongs to what in a file of this name."""
    return is_python(path) or f" {path[path.rfind('.') + 1 :].lower()} " in _MINDING


def is_python(path: str) -> bool:
    """Whether Python reads a file of this name."""
    from ..syntax.grammars import grammar_of

    return grammar_of(path) == "python"


def read_both(page: Page, one: list[Fit], two: list[Fit]) -> Read | None:
    """What Python says of the results of two edits; None of other files, or where it can't read the file as it is."""
    if not is_python(page.path) or page.parsed >= PARSED:
        return None
    from ..syntax.gate import readable

    page.parsed += 3 * (sum(map(len, page.lines)) + len(page.lines))
    if page.parsed > PARSED:
        return None
    first = next((line for line in page.lines if line.strip()), "")
    # The lines of a method, for themselves, are no text that can be read.
    head = "if 1:\n" if indent_of(first) else ""
    texts = (page.lines, _result(page, one), _result(page, two))
    before, *after = (encode(head + "\n".join([*lines, ""])) for lines in texts)
    found = readable(page.path, before, after)
    return Read(found[0], found[1], all(found) and _same(*after)) if found else None


def _result(page: Page, fits: list[Fit]) -> list[str]:
    lines = page.lines[:]
    for made in sorted(fits, key=lambda fit: fit.splice.start, reverse=True):
        lines[made.splice.start : made.splice.end] = made.splice.lines
    return lines


def _same(one: bytes, two: bytes) -> bool:
    """Whether two texts give the same tree; docstrings may be indented otherwise."""
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trees = [ast.dump(ast.parse(text)).replace("\\n", " ").split() for text in (one, two)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return trees[0] == trees[1]
