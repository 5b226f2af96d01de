void f() {
	while (a) {
		go();
	}
}
