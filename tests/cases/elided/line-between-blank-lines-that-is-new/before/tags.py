NAMES = {
    "jython": "jy",
}


_BITS = sys.maxsize <= 2 ** 32


class Tag:
    """A tag."""

    name = 1
