class Reader {
  nextLong() {
    check();
    const seconds = Number.parseInt(this.header.get('retry-after-ms'), 10);
    this.pop();
    return seconds;
  }

  nextName() {
    check();
    const name = this.table.lookup(this.position, this.limit).toString();
    this.pop();
    return name;
  }
}
