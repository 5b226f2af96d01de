import os


def f(x):
    # first
    # second
    if x:
        y = 1
        z = 2
    return y


def g():
    pass
