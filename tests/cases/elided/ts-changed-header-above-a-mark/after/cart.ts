import { Item } from "./item";

export class Cart {
  private items: Item[] = [];

  add(item: Item, count = 1) {
    this.items.push(item);
  }

  total(): number {
    return this.items.reduce((sum, item) => sum + item.price, 0);
  }

  clear() {
    this.items = [];
  }
}

export class Order {
  constructor(private cart: Cart) {}

  total(): number {
    return this.cart.total();
  }
}
