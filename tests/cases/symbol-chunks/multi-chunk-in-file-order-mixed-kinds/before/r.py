class Report:
    def part1(self):
        v = load(1)
        return v

    def part2(self):
        v = load(2)
        return v

    def part3(self):
        v = load(3)
        return v

    def part4(self):
        v = load(4)
        return v

    def part5(self):
        v = load(5)
        return v

    def part6(self):
        v = load(6)
        return v

    done = True
