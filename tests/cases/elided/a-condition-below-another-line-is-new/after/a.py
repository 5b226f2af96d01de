import os


def f(x, y):
    a()
    if x:
        stop(7)
        halt()
    go(1)
    b()
    return 3
