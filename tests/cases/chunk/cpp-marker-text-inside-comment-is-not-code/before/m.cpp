/*
run();
*/
run();
