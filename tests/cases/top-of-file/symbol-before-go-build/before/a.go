//go:build linux

package main

// F does.
func F() {
}
