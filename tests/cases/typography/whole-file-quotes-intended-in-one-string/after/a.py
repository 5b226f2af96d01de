import re


def f(x):
    print("a", x)
    return '“b”'
