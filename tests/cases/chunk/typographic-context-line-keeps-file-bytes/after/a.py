s = 'it'
t = 3
