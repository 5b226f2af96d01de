/*
 * one
 * two
 * three
 */

if a:
b()
x = 1
