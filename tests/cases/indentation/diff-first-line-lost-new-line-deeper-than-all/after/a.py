import os


def f(x):
    if x:
        y = 1
        if y:
            z = 3
        z = 2
    return y


def g():
    pass
