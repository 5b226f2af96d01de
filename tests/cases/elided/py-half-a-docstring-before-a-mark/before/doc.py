def f():
    """Does this.

    And that.
    """
    return 1


def g():
    """Other."""
    return 2
