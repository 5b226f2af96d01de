def area(width):
    return width * width
