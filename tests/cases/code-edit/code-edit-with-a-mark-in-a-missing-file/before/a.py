import os


def f():
    return 1


def g():
    n = 2
    return n


def h():
    m = 3
    return m
