    gamma()
# note
