class Cart {
  constructor() {
    this.items = [];
  }

  render() {
    log(this);
    return html`
      <ul>
        ${this.items}
        <li>end</li>
      </ul>
    `;
  }
}
