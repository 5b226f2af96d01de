int f(
    int a,
    ...
);
int g(
    long a,
    ...
);
