/**
 * One.
 * Two.
 */
int x;
