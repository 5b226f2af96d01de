"""What teaches whole files: examples that are tests and documentation, and the prompt built from them."""

from __future__ import annotations

from ..model import Example

_FILES = Example(
    "a changed and a new file",
    {"src/limits.py": "DEPTH = 4\nWIDTH = 2\n"},
    """src/limits.py
```python
DEPTH = 8
WIDTH = 2
```

docs/limits.md
````markdown
# Limits

```python
from limits import DEPTH
```
````
""",
    {
        "src/limits.py": "DEPTH = 8\nWIDTH = 2\n",
        "docs/limits.md": "# Limits\n\n```python\nfrom limits import DEPTH\n```\n",
    },
)

EXAMPLES = (_FILES,)

PROMPT = f"""Write each file that changes, or is new, in full: its path alone on a line, then the contents in a fence.

- The path is relative to the root of the project.
- The fence holds the whole file from the first line to the last. Leave nothing out: no "...", no "rest unchanged".
- Functions and classes that you remove or rename are named in a sentence above ("Removed `old_name`."); a file that
  would lose others, or most of its lines, is refused.
- Where a line of the contents begins with backticks, put more of them around the contents.
- Don't show files that stay as they are. Files can't be deleted in this format.

A changed and a new file:

`````text
{_FILES.patch}`````
"""
