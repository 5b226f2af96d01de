def area(size):
    return size * size
