class Cart:
    def add(self, x):
        self.x = x

    def sum(self):
        return 2


def main():
    pass
