package a

func f() {
    if x {
        yy()
    }
    z()
}
