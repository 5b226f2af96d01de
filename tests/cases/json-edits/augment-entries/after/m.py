import os


def greet(name):
    text = "Hi " + name
    return text


def part(name):
    text = "Bye " + name
    return text
