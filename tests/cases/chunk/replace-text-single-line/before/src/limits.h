struct Limits {
    int depth() const;
    int width() const;
};
