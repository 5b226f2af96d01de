"""The English of sources, messages, prompts and pages: none of the words in tools/words.py."""

from __future__ import annotations

from pathlib import Path

import pytest
import words  # tools/words.py

TOP = Path(__file__).parent.parent


def files_by_room() -> dict[str, list[Path]]:
    """Return the sources, prompts and pages by their room: `src/match`, `tests/cli`, `docs`."""
    rooms: dict[str, list[Path]] = {}
    for top in ("src/anypatch", "tests", "tools", "bench", "docs", ""):
        inner = (TOP / top).glob("*" if not top else "**/*")
        for path in sorted(path for path in inner if path.suffix in (".md", ".py") and path.is_file()):
            parts = path.relative_to(TOP / top).parts
            if parts[0] == "cases" or path.name in ("words.py", "test_words.py"):
                continue
            folder = "src" if top.startswith("src") else top
            room = f"{folder}/{parts[0]}" if len(parts) > 1 else top or "pages"
            rooms.setdefault(room, []).append(path)
    return rooms


ROOMS = files_by_room()


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_plain_english(room: str) -> None:
    faults = [
        f"{path.relative_to(TOP)}:{line}: {fault}"
        for path in ROOMS[room]
        for line, fault in (words.in_source if path.suffix == ".py" else words.in_page)(path.read_text())
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("source", "faults"),
    [
        ('def f():\n    """Whether it is new."""\n', [2]),
        ("x = 1  # the line that stands behind it\n", [1]),
        ('raise ValueError(f"the text of {x} is passed over")\n', [1]),
        ('def f():\n    """Return True if it is new; `behind` names the rest."""\n', []),
        ('raise ValueError(f"{name!r} is behind {other}")\n', []),
        ('KEYS = ("behind", "anew")\n', []),
    ],
)
def test_words_are_read_in_docstrings_comments_and_messages(source: str, faults: list[int]) -> None:
    assert [line for line, _ in words.in_source(source)] == faults


def test_words_are_read_in_pages_outside_their_fences() -> None:
    page = "A line that is passed over.\n\n```\nit stands behind\n```\n\nThe word `behind` is quoted.\nAnd behind it.\n"
    assert [line for line, _ in words.in_page(page)] == [1, 8]
