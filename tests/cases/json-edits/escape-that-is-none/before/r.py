p = r'\d+'
