import os


def f():
    return 9


def g():
    return 2


def h():
    return 3
