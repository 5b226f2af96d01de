import os


class Cart:
    """A shopping cart."""

    tax = 0.2

    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, item, qty=1):
        if qty < 1:
            raise ValueError("qty")
        self.items.append((item, qty))
        return self

    def total(self):
        amount = 0
        for item, qty in self.items:
            amount += item.price * qty
        return amount * (1 + self.tax)


def total(items):
    amount = 0
    for item in items:
        amount += item
    return amount
