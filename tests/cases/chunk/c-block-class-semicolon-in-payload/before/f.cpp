class K {
    int a;
};
int z;
