use();
last();
