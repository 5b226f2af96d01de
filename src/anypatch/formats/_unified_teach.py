"""What teaches unified diffs: examples that are tests and documentation, and the prompt built from them."""

from __future__ import annotations

from ..model import Example

# A blank line that stays; editors would take its blank away.
_BLANK = " "

_EDIT = Example(
    "an edit in two places",
    {
        "src/area.py": "import math\n\n\ndef square(a):\n    return a * a\n\n\ndef circle(r):\n"
        "    # good enough\n    return 3.14 * r * r\n\n\ndef both(a, r):\n    return square(a) + circle(r)\n"
    },
    f"""--- a/src/area.py
+++ b/src/area.py
@@ -1,5 +1,5 @@
-import math
+from math import pi
{_BLANK}
{_BLANK}
 def square(a):
     return a * a
@@ -8,3 +8,2 @@
 def circle(r):
-    # good enough
-    return 3.14 * r * r
+    return pi * r * r
{_BLANK}
""",
    {
        "src/area.py": "from math import pi\n\n\ndef square(a):\n    return a * a\n\n\ndef circle(r):\n"
        "    return pi * r * r\n\n\ndef both(a, r):\n    return square(a) + circle(r)\n"
    },
)

_FILES = Example(
    "new, deleted and renamed files",
    {"old.txt": "bye\n", "notes.md": "# Notes\n\ndraft\n"},
    f"""diff --git a/docs/hello.txt b/docs/hello.txt
new file mode 100644
--- /dev/null
+++ b/docs/hello.txt
@@ -0,0 +1,2 @@
+Hello
+World
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/notes.md b/docs/notes.md
rename from notes.md
rename to docs/notes.md
--- a/notes.md
+++ b/docs/notes.md
@@ -1,3 +1,3 @@
 # Notes
{_BLANK}
-draft
+final
""",
    {"docs/hello.txt": "Hello\nWorld\n", "docs/notes.md": "# Notes\n\nfinal\n"},
)

EXAMPLES = (_EDIT, _FILES)

PROMPT = f"""Write your edits as one unified diff, as `git diff` prints it. Paths are relative to the root.

```diff
{_EDIT.patch}```

- The first character of every line in a hunk counts: a space for a line that stays, `-` for one that goes, `+` for one
  that comes. It stands before the line's own indentation, on blank lines too.
- Copy the lines with a space or `-` exactly from the file as it is now: indentation, spaces, comments.
- Give three lines that stay before and after each change, and more where those stand in the file several times.
- Line numbers and counts in `@@ -A,B +C,D @@` help to choose between equal places; `@@ ... @@` will do without them.
- Hunks of one file stand in the order of the file, under one `---`/`+++` header. Leave nothing out with "...".

New files are diffs against `/dev/null` with all their lines; deleted and renamed files:

```diff
{_FILES.patch}```

Behind a last line that has no line end write `\\ No newline at end of file`. No binary files, no copies.
"""
