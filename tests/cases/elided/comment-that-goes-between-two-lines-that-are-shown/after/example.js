#!/usr/bin/env node

// An example.

const { Shop } = require('shop');
const shop = new Shop();

shop.open();
