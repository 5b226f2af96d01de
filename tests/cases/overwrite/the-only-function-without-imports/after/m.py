import os
import sys


def f(x, y):
    a = 1
    b = 2
    c = 4
    d = 5
    e = 6
    return x + y


if __name__ == "__main__":
    f(1)
