import os


def k(x):
    return x


def g(x):
    return x + 1
