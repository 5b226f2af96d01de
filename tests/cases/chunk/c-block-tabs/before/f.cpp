class K {
	void f() {
		a();
	}
};
