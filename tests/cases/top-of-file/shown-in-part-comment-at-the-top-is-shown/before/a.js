// Users

var users = [
  'a'
];

exports.list = list;
