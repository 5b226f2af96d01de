struct Cart {
  template <class T>
  auto add(T& item) const -> T {
    return item;
  }
};
