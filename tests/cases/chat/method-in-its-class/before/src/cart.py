import math


class Cart:
    """What is bought."""

    def __init__(self):
        self.items = []

    @property
    def count(self):
        return len(self.items)

    # Without tax.
    def total(self):
        return sum(self.items)


class Order:
    def total(self):
        return 0


def report(cart):
    print(cart.total())
