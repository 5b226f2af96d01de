package shop;

import java.util.List;

public class Cart {
    private final List<Item> items;

    public Cart(List<Item> items) {
        this.items = items;
    }

    public int total() {
        return items.stream().mapToInt(Item::price).sum();
    }

    public void clear() {
        items.clear();
    }
}
