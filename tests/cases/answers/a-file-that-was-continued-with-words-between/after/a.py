import os


def f(x):
    y = x
    z = y


Continuing from where I left off:

    return z


def g():
    return 3
