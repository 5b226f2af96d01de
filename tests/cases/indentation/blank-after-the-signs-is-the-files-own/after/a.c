/**
 * One.
 * Three.
 */
int x;
