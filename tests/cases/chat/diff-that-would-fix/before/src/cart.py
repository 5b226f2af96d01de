LIMIT = 10


def total(items):
    return sum(items)


class Cart:
    def total(self):
        return total(self.items)
