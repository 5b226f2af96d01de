class Shop {
    open() {
        this.count = 3;
             this.sign();
    }
}
