class Shop {
    open() {
        this.count = 2;
    }
}
