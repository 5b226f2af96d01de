class Cart:
    def add(self, x):
        self.x = x

    # note
    def total(self):
        return 2


def main():
    pass
