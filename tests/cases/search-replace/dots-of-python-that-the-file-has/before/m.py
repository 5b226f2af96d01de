class Cart:
    def total(self):
        x = 1
        y = 2
        return x + y

    def other(self):
        ...
