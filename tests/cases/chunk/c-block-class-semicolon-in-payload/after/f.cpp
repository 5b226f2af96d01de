class K {
    int b;
};
int z;
