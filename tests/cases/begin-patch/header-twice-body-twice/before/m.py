def setup():
    warm()
def setup():
    warm()
