x = 1
DEBUG = True


def load():
    return x
