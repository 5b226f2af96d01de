def items(self):
    return 1
