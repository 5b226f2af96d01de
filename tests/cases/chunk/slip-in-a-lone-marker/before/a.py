alpha = start()
