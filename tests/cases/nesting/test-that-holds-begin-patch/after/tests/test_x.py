PATCH = """\
*** Begin Patch
*** Update File: src/a.py
@@
-x = 1
+x = 2
*** End Patch
"""


def test():
    assert PATCH
