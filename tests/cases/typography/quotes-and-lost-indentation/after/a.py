def f():
    if x:
        print("ho")
