class Cart:
    def total(self):
        return sum(self.items)
