def check_a(x):
    if not x:
        raise TypeError("bad input value")
    return x


def check_b(x):
    if x < 0:
        raise ValueError('bad input value')
    return x
