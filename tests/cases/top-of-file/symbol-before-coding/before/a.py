# -*- coding: utf-8 -*-
def f():
    return 1
