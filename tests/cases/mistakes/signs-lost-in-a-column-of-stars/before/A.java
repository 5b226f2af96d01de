/*
 * one
 * two
 * three
 */
