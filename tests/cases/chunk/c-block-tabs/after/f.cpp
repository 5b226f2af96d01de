class K {
	void f() {
		b();
	}
};
