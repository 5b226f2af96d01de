import os


def f():
    x = 1
    return x


def g():
    y = 2
    return y
