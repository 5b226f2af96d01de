package a

func f() {
	if x {
		y()
		if z {
			w()
		}
	}
}
