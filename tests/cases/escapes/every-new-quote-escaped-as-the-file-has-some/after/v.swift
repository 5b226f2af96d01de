func a() {
    add("email", is: .email)
    log("a \"b\" c")
    done()
}

func b() {
    run()
    log("x" + 
        "y \"z\"")
}
