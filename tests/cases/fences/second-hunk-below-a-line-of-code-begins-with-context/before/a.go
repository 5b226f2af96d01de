package gin

import (
	"bytes"
	"fmt"
)

func a() {
	x := 1
	var buf bytes.Buffer
	fmt.Println(x, buf)
}
