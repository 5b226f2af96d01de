"""A shopping cart."""


class Cart:
    def __init__(self):
        self.items = []  # (name, cents)

    def add(self, name, cents):
        # no check yet
        self.items.append((name, cents))

    def total(self):
        total = 0
        for _, cents in self.items:
            total += cents
        return total
