// const shop = require('shop'); // (as users write it)
const shop = require('shop');

const till = new shop.Till();

// An example.
till.open();
till.close();
