import os
import sys
import re


def f():
    return 1


def g():
    return 2
