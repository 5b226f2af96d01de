"""Prices."""

from decimal import Decimal


class Shop:
    """A shop."""

    def __init__(self, name):
        self.name = name

    def price(self, item):
        net = item.net
        return net

    def total(self, items):
        items = list(items)
        return sum(map(self.price, items))


class Market(Shop):
    def price(self, item):
        return item.market


def main():
    print(Shop("x"))
