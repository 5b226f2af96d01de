s = 'that'
t = 2
