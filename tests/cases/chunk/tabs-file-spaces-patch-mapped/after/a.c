void f() {
	if (a) {
		if (b)
			go();
	}
}
