class Cart:
    def total(self):
        seen = set()
        for item in self.items:
            self.check(item)
            seen.add(item)
        return sum(self.items)
