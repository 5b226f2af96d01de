char q = '"'; // a quote
int n;
