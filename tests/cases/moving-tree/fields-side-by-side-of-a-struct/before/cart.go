package cart

type Cart struct {
	Limit    int64
	Currency string
}
