
# note
