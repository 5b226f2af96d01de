void f() {
	if (a)
		go();
}
