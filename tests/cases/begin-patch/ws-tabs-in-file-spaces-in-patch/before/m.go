	if ok {
		run()
	}
