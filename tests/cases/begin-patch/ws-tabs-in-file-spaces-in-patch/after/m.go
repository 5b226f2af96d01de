	if ok {
		halt()
	}
