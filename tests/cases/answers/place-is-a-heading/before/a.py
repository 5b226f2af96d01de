class A:
    def run(self):
        x = 1
        return x


class B:
    def run(self):
        x = 1
        return x
