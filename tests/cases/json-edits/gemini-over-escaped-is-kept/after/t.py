s = 'a\tb'
