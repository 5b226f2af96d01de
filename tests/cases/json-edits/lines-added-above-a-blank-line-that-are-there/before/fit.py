class Fit:
    notes: list
    tear: int
    final: bool


x = 1
