def f():
    """Does this.

    And that.
    """
    return 3


def g():
    """Other."""
    return 2
