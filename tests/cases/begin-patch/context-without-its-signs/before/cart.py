class Cart:
    def total(self):
        for item in self.items:
            self.check(item)
        return sum(self.items)
