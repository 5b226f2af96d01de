class Cart {
  constructor() {
    this.items = [];
  }

  render() {
    return html`
      <ul>
        ${this.items}
      </ul>
    `;
  }
}
