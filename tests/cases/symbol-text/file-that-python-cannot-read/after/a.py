class Cart:
    def total(self):
        return 2

    def broken(self:
        pass
