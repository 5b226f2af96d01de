import os


def f(x, y):
    a()
    go(1)
    b()
    return 3
