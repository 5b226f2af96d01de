"""The everyday part, whose first and last line stand in the file once each, placed without a search. Pure.

What it finds is what the long way through `between` finds; where that isn't certain at a glance, it finds nothing.
"""

from __future__ import annotations

from ..model import Splice
from .anchors import is_trivial
from .bounds import differences, edge_doubt, in_other_block, moved_line
from .parts import Part, Span, Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .parts import Found


_BLANKS = (" ", "\t")


def placed_once(part: Part, window: Window) -> Found | None:
    """The part between two lines of which each means one row, however it is compared; or None.

    Such anchors have no second place, nearer together or indented otherwise, and don't come again in what goes.
    """
    said, hay = part.lines, window.hay
    start, last = window.bare.only(said[0]), hay.only(said[-1])
    if start < window.floor or not start <= last < window.ceiling or part.before is None or part.after is None:
        return None
    if is_trivial(said[0]) or is_trivial(said[-1]):
        return None
    old, new = hay.compared(start, last + 1), hay.keys(said)
    room = min(len(old), len(new))
    head, tail = 0, 1
    while head < room and old[head] == new[head]:
        head += 1
    if head == room:
        # Else the last line stands among the first ones already.
        unchanged = Span(start, last + 1, said, head), list[Splice]()
        return unchanged if len(old) == len(new) and not edge_doubt(part, window, *unchanged) else None
    if not head:
        return None
    while tail < room - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    gone, come = len(old) - tail - head, len(new) - tail - head
    span = Span(start, last + 1, said, head, tail)
    # A last line that isn't indented stands in no block.
    if new[-1][:1] in _BLANKS and in_other_block(part, window, span):
        return None
    if gone and come and gone + come > 3:
        splices = differences(window.lines, span, "exact")
    else:
        splices = [Splice(start + head, start + head + gone, tuple(said[head : head + come]), "exact")]
    if edge_doubt(part, window, span, splices) or moved_line(part, window, splices):
        return None
    return span, splices
