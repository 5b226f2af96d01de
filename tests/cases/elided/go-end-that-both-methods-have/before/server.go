package main

import "fmt"

type Server struct {
	name string
	port int
}

func (s *Server) Start() error {
	fmt.Println("start", s.name)
	return nil
}

func (s *Server) Stop() error {
	fmt.Println("stop", s.name)
	return nil
}
