class A:
    """Docs
    go on."""
    x = 1

z = 0
