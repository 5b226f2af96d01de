class Cart:
    def total(self):
        x = 1
        y = 2
        z = 3
        w = 4
        return x + y
