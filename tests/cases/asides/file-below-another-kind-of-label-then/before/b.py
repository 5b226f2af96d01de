import os

LIMIT = 3
NAME = "b"


def h():
    return LIMIT
