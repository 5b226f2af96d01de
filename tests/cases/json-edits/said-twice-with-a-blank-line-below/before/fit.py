class Fit:
    notes: list
    tear: int


x = 1
