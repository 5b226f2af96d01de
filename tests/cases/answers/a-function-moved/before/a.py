import a

def run():
    return 1


def mid():
    return 2


def tls():
    return 3
