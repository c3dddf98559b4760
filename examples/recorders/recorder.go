// Record transactions for 'assay check', a line each.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

type Recorder struct {
	mutex   sync.Mutex
	file    *os.File
	unknown int // transactions of unknown outcome
}

type Line struct {
	Session string  `json:"session"`
	Ops     [][]any `json:"ops"`
	Status  string  `json:"status"`
}

func (r *Recorder) Transaction(line Line) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	// It may take effect after what the session does next, so it gets a session of its own.
	if line.Status == "unknown" {
		r.unknown++
		line.Session = fmt.Sprintf("%s-unknown-%d", line.Session, r.unknown)
	}
	return json.NewEncoder(r.file).Encode(line)
}

// Two clients deposit at the same time.
func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	r := &Recorder{file: file}
	r.Transaction(Line{"setup", [][]any{{"w", "balance", 100}}, "committed"})
	r.Transaction(Line{"ann", [][]any{{"r", "balance", 100}, {"w", "balance", 110}}, "committed"})
	r.Transaction(Line{"bob", [][]any{{"r", "balance", 100}, {"w", "balance", 120}}, "committed"})
}
