/*
 * one
 * two
 * three
 */

x = 1
