impl A {
    fn a(&self) -> bool {
        self.x(
            1
        )
    }
}
