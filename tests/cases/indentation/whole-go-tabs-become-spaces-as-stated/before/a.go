package a

func f() {
	if x {
		y()
	}
	z()
}
