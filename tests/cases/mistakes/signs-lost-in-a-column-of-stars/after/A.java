/*
 * one
 * two
 new
 * three
 */
