x = 1
z = "&amp;"
y = 2
