print('it')
