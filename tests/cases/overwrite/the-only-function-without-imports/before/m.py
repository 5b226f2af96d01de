import os
import sys


def f(x):
    a = 1
    b = 2
    c = 3
    return x + a + b + c


if __name__ == "__main__":
    f(1)
