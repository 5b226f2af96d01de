//go:build linux

package main

var x = 1
// F does.
func F() {
}
