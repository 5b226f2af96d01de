s = 'a\nb'
