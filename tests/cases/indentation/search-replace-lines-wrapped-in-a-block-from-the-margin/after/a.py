import os


def f(x):
    if x:
        if q:
            y = 1
            z = 2
    return y


def g():
    pass
