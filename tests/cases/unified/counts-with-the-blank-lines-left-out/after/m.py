import os


class Cart:
    def total(self):
        x = 5
        y = 2
        return x + y
