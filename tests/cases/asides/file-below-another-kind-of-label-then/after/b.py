import os

LIMIT = 5
NAME = "b"


def h():
    return LIMIT
