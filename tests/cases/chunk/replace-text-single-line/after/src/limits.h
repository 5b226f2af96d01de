struct Limits {
    int depth() const noexcept;
    int width() const;
};
