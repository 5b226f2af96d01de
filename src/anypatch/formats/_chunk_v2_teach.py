"""What teaches Chunk v2: examples that are tests and documentation, and the prompt built from them."""

from __future__ import annotations

from ..model import Example

_NUMBERS = Example(
    "by line number, counted from 0 in the file as it is now",
    {"todo.txt": "milk\nbread\nsalt\nrice\n"},
    """=== file: todo.txt ===
--- replace 1:2
rye bread
sea salt
=END=

=== file: todo.txt ===
--- insert-after 3
lentils
=END=

=== file: todo.txt ===
--- delete 0:0
=END=
""",
    {"todo.txt": "rye bread\nsea salt\nrice\nlentils\n"},
)

_TEXT = Example(
    "by exact text",
    {"src/main.c": "int main(void)\n{\n    run();\n    return 0;\n}\n", "src/run.c": "/* empty */\n"},
    """=== file: src/main.c ===
--- insert-before-text
int main(void)
---
#include "run.h"

=END=

=== file: src/main.c ===
--- replace-text
    return 0;
---
    return done();
=END=

=== file: src/run.c ===
--- delete-text
/* empty */
---
=END=
""",
    {
        "src/main.c": '#include "run.h"\n\nint main(void)\n{\n    run();\n    return done();\n}\n',
        "src/run.c": "",
    },
)

_FILES = Example(
    "new and deleted files",
    {"notes/old.md": "old\n"},
    """=== file: notes/new.md ===
--- create-file
# Notes
=END=

=== file: notes/old.md ===
--- delete-file
=END=
""",
    {"notes/new.md": "# Notes\n"},
)

EXAMPLES = (_NUMBERS, _TEXT, _FILES)

PROMPT = f"""Write your edits as Chunk v2 sections. Each section is one file and one command:

```text
=== file: PATH ===
--- COMMAND
CONTENT
=END=
```

By line number, counted from 0, both ends of a range included. All numbers mean the file as it is now, before any edit:
`--- replace A:B` (content: the new lines), `--- insert-after N` (-1: top of the file), `--- delete A:B` (no content).

```text
{_NUMBERS.patch}```

By text: `--- replace-text`, `--- insert-after-text`, `--- insert-before-text`, `--- delete-text`. First the lines to
find, then a line of `---`, then the new lines (none for delete). The lines to find are whole lines, copied exactly,
with their indentation, spaces and blank lines, and must stand in exactly one place.

```text
{_TEXT.patch}```

Whole files: `--- create-file` with the content, `--- delete-file` without.

```text
{_FILES.patch}```

Don't mix commands by number and by text on one file. New lines are written exactly as given, indentation included.
"""
