import os


def greet(name):
    text = "Hi " + name
    return text


def part(name):
    text = "Ciao " + name
    return text
