# note
# other
g()
