#!/usr/bin/env python
# doc
def f():
    return 1
