/*
run();
*/
walk();
