package assay

// A key-value store with a bug, and a test that finds it: an example to copy.
//
// Transactions read from a snapshot.  A commit should fail where another one has
// written one of its keys since; with the bug it compares with the wrong clock.

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

type store struct {
	mutex   sync.Mutex
	bug     bool
	clock   int
	data    map[string]int
	written map[string]int
}

type storeTxn struct {
	store    *store
	began    int
	snapshot map[string]int
	writes   map[string]int
}

func newStore(bug bool) *store {
	return &store{bug: bug, data: map[string]int{}, written: map[string]int{}}
}

func (s *store) begin() *storeTxn {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	t := &storeTxn{store: s, began: s.clock, snapshot: map[string]int{}, writes: map[string]int{}}
	for k, v := range s.data {
		t.snapshot[k] = v
	}
	return t
}

func (t *storeTxn) commit() Outcome {
	s := t.store
	s.mutex.Lock()
	defer s.mutex.Unlock()
	limit := t.began
	if s.bug {
		limit++
	}
	for k := range t.writes {
		if s.written[k] > limit {
			return Aborted
		}
	}
	s.clock++
	for k, v := range t.writes {
		s.data[k], s.written[k] = v, s.clock
	}
	return Committed
}

// incrementAtOnce: goroutines add to one counter after all have begun.
func incrementAtOnce(rec *Recorder, s *store) {
	var begun, done sync.WaitGroup
	begun.Add(2)
	for i := 1; i <= 2; i++ {
		session, add := rec.Session(fmt.Sprint("client ", i)), i
		done.Add(1)
		go func() {
			defer done.Done()
			session.Begin()
			txn := s.begin()
			begun.Done()
			begun.Wait()
			if value, ok := txn.snapshot["counter"]; ok {
				session.Read("counter", value)
			} else {
				session.Read("counter", nil)
			}
			txn.writes["counter"] = txn.snapshot["counter"] + add
			session.Write("counter", txn.writes["counter"])
			session.End(txn.commit())
		}()
	}
	done.Wait()
}

func TestStoreWithoutTheBug(t *testing.T) {
	t.Parallel()
	incrementAtOnce(Record(t, SI), newStore(false))
}

// recording is a test that Record can be given: its cleanup runs in run.
type recording struct {
	fake
	cleanup []func()
}

func (r *recording) Cleanup(f func()) { r.cleanup = append(r.cleanup, f) }
func (r *recording) Failed() bool     { return r.said != "" }

func TestTheBugIsFound(t *testing.T) {
	t.Parallel()
	var r recording
	incrementAtOnce(Record(&r, SI), newStore(true))
	for _, f := range r.cleanup {
		f()
	}
	if !strings.Contains(r.said, "lost update") {
		t.Errorf("got %q", r.said)
	}
}
