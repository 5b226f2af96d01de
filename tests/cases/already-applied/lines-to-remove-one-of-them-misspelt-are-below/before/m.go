func m() {
	if v {
		set(t)
		return nil
	}

	if empty(v) {
		set(zero())
		return nil
	}

	l := local()
}
