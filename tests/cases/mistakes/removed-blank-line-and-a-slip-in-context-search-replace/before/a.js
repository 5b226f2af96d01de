use();
params();
ignore();

last();
