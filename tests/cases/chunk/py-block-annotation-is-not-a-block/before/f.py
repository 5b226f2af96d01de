x: int = 1
y = 2
