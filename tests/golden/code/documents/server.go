// Package server answers.
package server

import (
	"fmt"
	"net/http"
)

const limit = 3

// Server holds the routes.
type Server struct {
	routes map[string]http.Handler
	count  int
}

// Handle adds a route.
func (s *Server) Handle(path string, h http.Handler) error {
	if _, ok := s.routes[path]; ok {
		return fmt.Errorf("route %q is taken", path)
	}
	s.routes[path] = h
	return nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if h, ok := s.routes[r.URL.Path]; ok {
			h.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
	s.count++
}

func New() *Server { return &Server{routes: map[string]http.Handler{}} }
