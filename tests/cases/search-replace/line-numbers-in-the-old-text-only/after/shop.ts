class Shop {
    open() {
        this.count = 1;
    }
}
