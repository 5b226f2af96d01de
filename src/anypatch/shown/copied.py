"""Old text that isn't the file's for the way it was copied: what it says if that is undone. Pure.

    12 | def total(self):      print(\\"Hello\\")      a blank line, or two,
    13 |     return 1                                def total(self):

Each reading undoes one thing, in old and new lines alike, and is asked for only where the hunk has no place as it is
written. What it says must then stand in the file to the letter, but for indentation. Typographic signs are typed as the
file does where the matched lines show it:

patch  -echo “hi”          file  echo "hi"          so the added line becomes  echo "hello"
       +echo “hello”
"""

from __future__ import annotations

from ..parsing.elision import is_prose
from ..parsing.shown import path_in_comment
from ..text import stripped

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    Lines = Sequence[tuple[str, str]]


def without_label(path: str, shown: Sequence[str], lines: Sequence[str]) -> list[str]:
    """The lines of a shown file, the first one blank where it is a comment with its path that the file doesn't have.

    **src/cart.py**
    ```python
    # src/cart.py               a label, too, unless the file begins with a path itself
    import math
    """
    named, below = path_in_comment(list(shown))
    is_own = named != "" and not is_prose(path) and f"/{path}".endswith(f"/{named.removeprefix('./')}")
    if not is_own or shown[below - 1].strip() in stripped(lines) or path_in_comment(list(lines))[0]:
        return list(shown)
    return [*shown[: below - 1], "", *shown[below:]]
