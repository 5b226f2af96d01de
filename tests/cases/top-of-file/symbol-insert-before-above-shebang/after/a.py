#!/usr/bin/env python
# license
import os
def f():
    return 1
