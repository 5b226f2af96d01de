def f():
    print("hi")
