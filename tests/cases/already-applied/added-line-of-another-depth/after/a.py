if x:
    foo()
    bar()
bar()
