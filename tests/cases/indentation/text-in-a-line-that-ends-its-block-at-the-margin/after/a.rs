impl A {
    fn a(&self) -> bool {
        self.y()
    }
}

impl B {
    fn b(&self) -> bool {
        self.z()
    }
}
