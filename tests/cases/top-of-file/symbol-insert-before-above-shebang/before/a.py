#!/usr/bin/env python
# license
def f():
    return 1
