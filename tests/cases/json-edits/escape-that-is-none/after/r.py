p = r'\d*'
