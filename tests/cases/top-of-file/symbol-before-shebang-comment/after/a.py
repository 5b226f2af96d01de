#!/usr/bin/env python
import os
# Adds.
def f():
    return 1
