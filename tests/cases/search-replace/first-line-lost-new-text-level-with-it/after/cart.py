class Cart:
    def total(self):
        # an empty cart costs nothing
        if not self.items:
            return 0
        return sum(item.price for item in self.items)

    def clear(self):
        self.items = []
