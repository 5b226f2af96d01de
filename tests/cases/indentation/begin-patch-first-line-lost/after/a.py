import os


def f(x):
    if x and y:
        y = 1
        z = 2
    return y


def g():
    pass
