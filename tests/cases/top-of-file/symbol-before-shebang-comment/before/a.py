#!/usr/bin/env python
# Adds.
def f():
    return 1
