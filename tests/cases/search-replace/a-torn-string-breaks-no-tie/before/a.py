def f():
    """Say.

    More.
    """
    if a:
        go()


def g():
    if a:
        go()
