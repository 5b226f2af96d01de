x = "a"
y = '&quot;'
