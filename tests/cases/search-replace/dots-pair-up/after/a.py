def ff():
    x = 1
    return x


def gg():
    x = 3
    return x
