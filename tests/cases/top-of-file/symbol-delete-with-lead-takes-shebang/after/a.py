#!/usr/bin/env python
# license


def g():
    pass
