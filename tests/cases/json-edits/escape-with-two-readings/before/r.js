s = 'its'
