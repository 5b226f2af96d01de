def read(path):
    if not path:
        return None
    return slurp(path)

def store(path):
    if not path:
        return None
    return spit(path)
