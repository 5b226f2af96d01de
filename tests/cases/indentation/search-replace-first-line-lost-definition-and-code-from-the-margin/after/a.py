import os


def f(x):
    def h(v):
        return v

    if h(x):
        y = 1
    return y


def g():
    pass
