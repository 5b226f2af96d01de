def job():
    a()  
    b()
    x()
    a()
    b()
    x()
    return 1
