#!/usr/bin/env node

// An example.

// const { Shop } = require('shop'); // (as users write it)
const { Shop } = require('../');
const shop = new Shop();

shop.open();
