extern write(int);

/* entry list */
extern read(int);
