"""What teaches JSON edits: examples that are tests and documentation, and the prompt built from them."""

from __future__ import annotations

from ..model import Example

_EDITS = Example(
    "text for text, in the order given",
    {"src/rate.py": "LIMIT = 10\n\n\ndef rate(n):\n    return n * 0.1\n", "docs/rate.md": "rate\n====\n"},
    r"""[
  {"file_path": "src/rate.py", "old_string": "LIMIT = 10", "new_string": "LIMIT = 25"},
  {
    "file_path": "src/rate.py",
    "old_string": "def rate(n):\n    return n * 0.1",
    "new_string": "def rate(n, share=0.1):\n    return n * share"
  },
  {"file_path": "docs/rate.md", "old_string": "====\n", "new_string": "====\n\nThe \"share\" is optional.\n"}
]
""",
    {
        "src/rate.py": "LIMIT = 25\n\n\ndef rate(n, share=0.1):\n    return n * share\n",
        "docs/rate.md": 'rate\n====\n\nThe "share" is optional.\n',
    },
)

_ALL = Example(
    "every place at once",
    {"lib/names.js": "const user = load();\nshow(user);\nsave(user);\n"},
    r"""[
  {"file_path": "lib/names.js", "old_string": "user", "new_string": "account", "replace_all": true}
]
""",
    {"lib/names.js": "const account = load();\nshow(account);\nsave(account);\n"},
)

_FILES = Example(
    "new and deleted files",
    {"old.txt": "bye\n"},
    r"""[
  {"file_path": "notes/new.txt", "content": "hello\nthere\n"},
  {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "old.txt"}}
]
""",
    {"notes/new.txt": "hello\nthere\n"},
)

EXAMPLES = (_EDITS, _ALL, _FILES)

PROMPT = f"""Write your edits as one JSON list. Each object replaces one text by another:

```json
{_EDITS.patch}```

- `file_path` is relative to the root of the project.
- `old_string` is copied exactly from the file, with its indentation and line breaks, and must stand there in one place
  only: take neighbouring lines in until it does. It need not be whole lines.
- `new_string` takes its place; an empty one deletes it.
- The edits are applied in order, each to the result of those before; if one fails, none is applied.
- It is JSON: a line break in a text is `\\n`, a tab `\\t`, a quote `\\"`, a backslash `\\\\`. No comments.

With `replace_all` the old text may stand in several places, and all are replaced:

```json
{_ALL.patch}```

A new file, or a whole file in the place of an old one, is given by `content`. A file is deleted as below:

```json
{_FILES.patch}```

Write code out in full; nothing is left out with "...".
"""
