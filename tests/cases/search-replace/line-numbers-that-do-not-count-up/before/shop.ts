class Shop {
    open() {
        this.count = 0;
    }
}
