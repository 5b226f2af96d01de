def read(path):
    if not path:
        return None
    return slurp(path)

def store(path):
    if not path:
        raise ValueError("path")
    return spit(path)
