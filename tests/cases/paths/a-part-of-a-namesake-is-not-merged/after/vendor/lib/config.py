x = 2
DEBUG = False


def load():
    return x
