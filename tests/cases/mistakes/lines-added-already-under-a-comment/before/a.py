# show them in
# order
x = f(1)
with lock:
    run()
