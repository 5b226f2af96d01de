def greet():
    return "Hi"
