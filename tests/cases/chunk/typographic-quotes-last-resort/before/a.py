s = 'it'
t = 2
