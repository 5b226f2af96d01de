class A:
    def run(self):
        return 1


class B:
    name = "b"
