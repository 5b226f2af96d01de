// head
one();
two();

// old remark
three();
