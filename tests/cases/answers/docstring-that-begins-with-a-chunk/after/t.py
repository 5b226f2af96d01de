"""operations:
  - path: a.py
    op: replace_text
    marker: x = 1
    payload: x = 2
"""

x = 1
