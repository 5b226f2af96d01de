import os


def f(x):
    return x


def g(x):
    return x + 1
