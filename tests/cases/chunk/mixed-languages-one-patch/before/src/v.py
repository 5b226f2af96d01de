class V:
    def run(self):
        return self.v
