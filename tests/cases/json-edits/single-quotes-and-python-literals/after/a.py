import os


def f(x):
    return "it's"


def g(x):
    return "it's" + 1
