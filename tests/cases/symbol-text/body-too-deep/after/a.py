class Cart:
    def add(self, x):
        self.x = x

    def total(self):
        return 2


def main():
    pass
