// const shop = require('shop'); // (as users write it)
const shop = require('../'); // in a clone

const till = new shop.Till();

// An example.
till.open();
till.close();
