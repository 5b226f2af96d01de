import a

def mid():
    return 2


def run():
    return 1


def tls():
    return 3
