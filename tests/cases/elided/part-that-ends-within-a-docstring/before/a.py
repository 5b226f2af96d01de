import os


def one(x):
    """Read it.

    Where nothing is left,
    the rest is read.
    """
    y = x
    return y


def two(x):
    return x
