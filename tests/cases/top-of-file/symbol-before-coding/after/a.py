# -*- coding: utf-8 -*-
import os
def f():
    return 1
