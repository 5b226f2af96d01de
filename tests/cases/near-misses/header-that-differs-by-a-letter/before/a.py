def run_a(x):
    return x
