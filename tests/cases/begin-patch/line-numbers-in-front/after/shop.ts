class Shop {
    open() {
        this.count = 5;
    }
}
