"""What teaches files shown in part: examples that are tests and documentation, and the prompt built from them."""

from __future__ import annotations

from ..model import Example

_PARTS = Example(
    "two parts of a file",
    {
        "src/shop.js": 'import { tax } from "./tax";\n\nexport function price(item) {\n  const net = item.net;\n'
        "  return net + tax(net);\n}\n\nexport function total(items) {\n  let sum = 0;\n"
        "  for (const item of items) sum += price(item);\n  return sum;\n}\n"
    },
    """src/shop.js
```js
import { tax } from "./tax";
import { log } from "./log";

// ... existing code ...
  const net = item.net;
  log(item);
  return net + tax(net);
// ... existing code ...
```
""",
    {
        "src/shop.js": 'import { tax } from "./tax";\nimport { log } from "./log";\n\nexport function price(item) {\n'
        "  const net = item.net;\n  log(item);\n  return net + tax(net);\n}\n\nexport function total(items) {\n"
        "  let sum = 0;\n  for (const item of items) sum += price(item);\n  return sum;\n}\n"
    },
)

EXAMPLES = (_PARTS,)

PROMPT = f"""Show only the parts of a file that change: its path alone on a line, then the parts in a fence, in order.
For everything that stays write a comment line `... existing code ...` in the file's own comment style.

- Every part begins with a line that stands in the file, and ends with one, copied exactly with its indentation.
  Each of them must stand there only once; take one line more if it doesn't.
- What the file has between these two lines gives way to the part. Lines you leave out without a mark are deleted;
  functions and classes among them are named in a sentence above ("Removed `old_name`.").
- Begin with a mark unless the part begins the file; end with a mark unless it ends the file.
- A new file is shown in full, without marks.

Two parts of a file:

````text
{_PARTS.patch}````
"""
