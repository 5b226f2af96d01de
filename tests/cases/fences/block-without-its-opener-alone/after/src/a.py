import os


def f():
    return 1


def g():
    return 20


def h():
    return 3
