class Shop {
    open() {
        this.count = 4;
    }
}
