'use strict'

// Users

var users = [
  'a'
];

exports.list = list;
