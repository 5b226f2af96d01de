import os


def greet(name):
    text = "Hello " + name
    return 1


def part(name):
    text = "Bye " + name
    return 1
