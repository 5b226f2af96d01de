import os


def f(y):
    return y


def g(x):
    return x + 1
