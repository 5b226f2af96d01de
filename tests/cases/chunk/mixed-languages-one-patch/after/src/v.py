class V:
    def run(self):
        print(self.v)
        return self.v
