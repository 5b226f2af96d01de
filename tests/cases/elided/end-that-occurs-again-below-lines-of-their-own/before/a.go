package a

func Create(name string) error {
	file, err := open("a/" + name)
	if err != nil {
		return err
	}
	defer file.Close()
	text := render(name)
	err = write(file, text)
	if err != nil {
		return err
	}
	return nil
}
