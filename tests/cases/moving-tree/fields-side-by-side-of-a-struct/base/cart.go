package cart

type Cart struct {
	Limit    int
	Currency string
}
