class Cart:
    def total(self):
        return sum(item.price for item in self.items
                   if item.bought)

    def clear(self):
        self.items = []
