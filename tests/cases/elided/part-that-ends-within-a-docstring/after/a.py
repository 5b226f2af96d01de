import os


def one(x):
    """Read all of it.

    Where nothing is left,
    the rest is read.
    """
    y = x
    return y


def two(x):
    return 2 * x
