import os


def f(x):
    return y


def g(x):
    return y + 1
