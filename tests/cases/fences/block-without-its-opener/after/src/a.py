import os


def f():
    return 10


def g():
    return 20


def h():
    return 3
