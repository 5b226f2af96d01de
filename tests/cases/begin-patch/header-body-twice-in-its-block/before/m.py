def other():
    pass
def setup():
    ping()
    wait()
    ping()
