if s == "a: b # c" and d[1:2]:
    x()
y()
