import os


def f(value):
    return value


def g(value):
    return value + 1
