"""What teaches search/replace blocks: examples that are tests and documentation, and the prompt built from them."""

from __future__ import annotations

from ..model import Example

_EDIT = Example(
    "edits, one after the other",
    {"src/greet.py": 'def greet(name):\n    print("hi", name)\n\n\ndef part():\n    print("bye")\n'},
    """src/greet.py
<<<<<<< SEARCH
    print("hi", name)
=======
    print(f"Hello, {name}!")
>>>>>>> REPLACE

<<<<<<< SEARCH
def part():
    print("bye")
=======
def part(name):
    print(f"Bye, {name}.")
>>>>>>> REPLACE
""",
    {
        "src/greet.py": 'def greet(name):\n    print(f"Hello, {name}!")\n\n\n'
        'def part(name):\n    print(f"Bye, {name}.")\n'
    },
)

_FILES = Example(
    "a new file, and lines that go",
    {"setup.cfg": "[tool]\nold = 1\nkeep = 2\n"},
    """docs/notes.md
<<<<<<< SEARCH
=======
# Notes

Nothing yet.
>>>>>>> REPLACE

setup.cfg
<<<<<<< SEARCH
[tool]
old = 1
=======
[tool]
>>>>>>> REPLACE
""",
    {"setup.cfg": "[tool]\nkeep = 2\n", "docs/notes.md": "# Notes\n\nNothing yet.\n"},
)

EXAMPLES = (_EDIT, _FILES)

PROMPT = f"""Write your edits as SEARCH/REPLACE blocks. The file's path stands alone on the line above a block:

```text
PATH
<<<<<<< SEARCH
lines of the file as they are now
=======
the lines that take their place
>>>>>>> REPLACE
```

- SEARCH holds whole lines, copied exactly, with their indentation, and enough of them to stand in one place only.
- Blocks are applied in order; each sees the result of the one before. A block without a path belongs to the last path.
- Keep blocks short: only the lines that change and a few neighbours. No "...", no "rest of the code".
- An empty SEARCH makes a new file; an empty REPLACE takes the lines away.
- A line of the text that looks like a marker gets a backslash before it: `\\=======`.

Edits:

```text
{_EDIT.patch}```

A new file, and lines that go:

```text
{_FILES.patch}```
"""
