x = 1
DEBUG = False


def load():
    return x
