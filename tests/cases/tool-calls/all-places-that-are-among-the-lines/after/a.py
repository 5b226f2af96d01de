import os


def f():
    x = 1
    yield x


def g():
    y = 2
    yield y
