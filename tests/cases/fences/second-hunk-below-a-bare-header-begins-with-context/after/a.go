package gin

import (
	"strings"
	"fmt"
)

func a() {
	x := 1
	var buf strings.Builder
	fmt.Println(x, buf)
}
