class Cart:
    def total(self):
        return 1

    def broken(self:
        pass
