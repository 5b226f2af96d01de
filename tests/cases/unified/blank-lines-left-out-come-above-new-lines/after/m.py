import os


def first():
    return 1


def second():
    return 2


def last():
    return 9
