import os


def f(x):
    print("a", x)
    return 'b'
