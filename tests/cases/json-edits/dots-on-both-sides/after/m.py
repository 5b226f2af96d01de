class Cart:
    def total(self, z):
        x = 1
        y = 2
        return x + y + z
