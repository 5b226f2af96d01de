"""Find what an answer holds by structure alone: blocks, fences, labels, tool calls, marks for left-out code.

`read.py` reads a whole answer: `blocks.py` cuts it into blocks, each format reads its own, and a fence without marks
is a sketch, for which the tree decides what it may change (`propose/`).
"""
