import os


def f():
    return 10


def g():
    return 2


def h():
    return 3
