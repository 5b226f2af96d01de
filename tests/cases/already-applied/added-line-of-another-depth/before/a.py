if x:
    foo()
bar()
