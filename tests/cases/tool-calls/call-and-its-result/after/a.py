import os


def f():
    x = 10
    return x


def g():
    y = 2
    return y
