def greet():
    x = 1
    return "Hello"
