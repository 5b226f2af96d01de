# note
f()
