// Package assay checks from a Go test whether transactions were isolated.
//
//	rec := assay.NewRecorder()
//	s := rec.Session("worker 1")
//	s.Begin(); s.Read("x", db.Get("x")); s.Write("x", 2); s.End(assay.Committed)
//	assay.Check(t, rec.History(), assay.SI)
//
// Check fails the test with the story of the anomaly.  The package needs
// libassay (pkg-config assay) and nothing else.
package assay

/*
#cgo pkg-config: assay
#include <stdlib.h>
#include <assay/assay.h>
*/
import "C"

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sort"
	"sync"
	"time"
	"unsafe"
)

// Level is the short name of an isolation level, or several: "si,ser", "all".
type Level string

// The levels, weakest first.
const (
	RC        Level = "rc"
	RA        Level = "ra"
	CC        Level = "cc"
	PC        Level = "pc"
	PSI       Level = "psi"
	SI        Level = "si"
	SER       Level = "ser"
	StrictSI  Level = "strict-si"
	StrictSER Level = "strict-ser"
	All       Level = "all"
)

// Verdict is the result of a check, with the exit statuses of the program.
type Verdict int

// The verdicts.
const (
	Holds    Verdict = C.ASSAY_HOLDS
	Violated Verdict = C.ASSAY_VIOLATED
	Unknown  Verdict = C.ASSAY_UNKNOWN
)

// Outcome is how a transaction ended.
type Outcome string

// The outcomes.
const (
	Committed     Outcome = "committed"
	Aborted       Outcome = "aborted"
	Indeterminate Outcome = "unknown"
)

// TB is the part of testing.TB that Check uses.
type TB interface {
	Helper()
	Errorf(format string, args ...interface{})
	Fatalf(format string, args ...interface{})
}

// CleanupTB is the part of testing.TB that Record uses.
type CleanupTB interface {
	TB
	Cleanup(func())
	Failed() bool
}

// Options limit a check.  Zero means no limit.
type Options struct {
	Timeout   time.Duration
	Memory    int64
	Anomalies int64
}

// --- histories ----------------------------------------------------------------

// History is a recorded history: bytes in a format, and what to call it.
type History struct {
	Name   string
	Data   []byte
	Format string // "" = by the contents
}

// Load reads the history at a path.
func Load(path string) (*History, error) {
	data, err := os.ReadFile(path)
	return &History{Name: path, Data: data}, err
}

// Recorder collects what sessions do.  Its sessions may run on goroutines.
type Recorder struct {
	NoClock  bool // record no times; set before the first session
	mutex    sync.Mutex
	sessions []*Session
}

// NewRecorder makes a recorder that takes times.
func NewRecorder() *Recorder { return &Recorder{} }

// Record makes a recorder whose history is checked when the test ends, unless it
// has failed by then or nothing was recorded.  Tests with recorders of their own
// may run in parallel.
func Record(t CleanupTB, level Level) *Recorder {
	r := NewRecorder()
	t.Cleanup(func() {
		t.Helper()
		if h := r.History(); !t.Failed() && len(h.Data) > 0 {
			Check(t, h, level)
		}
	})
	return r
}

// Session runs one transaction after another, on one goroutine at a time.
type Session struct {
	name    string
	clock   bool
	open    bool
	unknown bool
	start   int64
	ops     [][]interface{}
	lines   []line
	err     error
}

type line struct {
	end  int64
	text []byte
}

var began = time.Now()

func now() int64 { return int64(time.Since(began)) }

// Session opens a session.  "" names it by its number.
func (r *Recorder) Session(name string) *Session {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if name == "" {
		name = fmt.Sprintf("s%d", len(r.sessions)+1)
	}
	s := &Session{name: name, clock: !r.NoClock}
	for _, other := range r.sessions {
		if other.name == name {
			s.err = fmt.Errorf("assay: there is a session %q already", name)
		}
	}
	r.sessions = append(r.sessions, s)
	return s
}

// Begin begins a transaction, before anything is sent to the database.
func (s *Session) Begin() {
	if s.open {
		s.End(Indeterminate)
	}
	s.open, s.ops = true, [][]interface{}{}
	if s.clock {
		s.start = now()
	}
}

// Read records a read; nil: the key had no value; a slice: all elements.
func (s *Session) Read(key, value interface{}) {
	s.ops = append(s.ops, []interface{}{"r", key, value})
}

// Write records a write.
func (s *Session) Write(key, value interface{}) {
	s.ops = append(s.ops, []interface{}{"w", key, value})
}

// Append records that an element was appended to a list.
func (s *Session) Append(key, element interface{}) {
	s.ops = append(s.ops, []interface{}{"append", key, element})
}

// End ends the transaction, after the answer of the database has arrived.
func (s *Session) End(o Outcome) {
	if !s.open {
		s.err = errors.New("assay: End without Begin")
		return
	}
	members := map[string]interface{}{"session": s.name, "ops": s.ops}
	end := int64(len(s.lines))
	if s.clock {
		end = now()
		members["start"], members["end"] = s.start, end
	}
	if o != Committed {
		members["status"] = o
	}
	text, err := json.Marshal(members)
	if err != nil && s.err == nil {
		s.err = err
	}
	if s.unknown {
		gone, _ := json.Marshal(map[string]interface{}{"session": s.name, "status": Indeterminate})
		text = append(append(gone, '\n'), text...)
	}
	s.unknown, s.open = o == Indeterminate, false
	s.lines = append(s.lines, line{end, append(text, '\n')})
}

// History is what was recorded.  No session may be in use.
func (r *Recorder) History() *History {
	var all []line
	for _, s := range r.sessions {
		if s.open {
			s.End(Indeterminate)
		}
		if s.err != nil {
			// A line that the library refuses, so that no check passes.
			return &History{Name: "recording", Data: []byte(s.err.Error()), Format: "jsonl"}
		}
		all = append(all, s.lines...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].end < all[j].end })
	var b bytes.Buffer
	for _, l := range all {
		b.Write(l.text)
	}
	return &History{Name: "recording", Data: b.Bytes(), Format: "jsonl"}
}

// --- checking -----------------------------------------------------------------

// Result has the verdict and the reports that were asked for.
type Result struct {
	Verdict Verdict
	Text    string            // for people
	Reports map[string][]byte // by format
}

// Check fails the test with the story unless the history satisfies the level.
func Check(t TB, h *History, level Level) bool {
	t.Helper()
	r, err := Decide(h, level, Options{})
	if err != nil {
		t.Fatalf("%v", err)
		return false
	}
	if r.Verdict != Holds {
		t.Errorf("\n%s", r.Text)
	}
	return r.Verdict == Holds
}

// Decide checks levels and makes the reports of these formats.
func Decide(h *History, level Level, o Options, formats ...string) (*Result, error) {
	// The error of the library belongs to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a := C.assay_new()
	defer C.assay_free(a)
	if a == nil {
		return nil, lastError()
	}
	C.assay_set(a, C.ASSAY_TIMEOUT_MS, C.int64_t(o.Timeout.Milliseconds()))
	C.assay_set(a, C.ASSAY_MEMORY, C.int64_t(o.Memory))
	if o.Anomalies > 0 {
		C.assay_set(a, C.ASSAY_EXPLAIN, C.int64_t(o.Anomalies))
	}
	history, err := parse(a, h)
	if err != nil {
		return nil, err
	}
	defer C.assay_history_free(history)
	levels := C.CString(string(level))
	defer C.free(unsafe.Pointer(levels))
	r := C.assay_check(a, history, levels)
	if r == nil {
		return nil, lastError()
	}
	defer C.assay_result_free(r)
	out := &Result{Verdict: Verdict(C.assay_verdict(r)), Reports: map[string][]byte{}}
	for _, format := range append([]string{"text"}, formats...) {
		if out.Reports[format], err = show(r, format); err != nil {
			return nil, err
		}
	}
	out.Text = string(out.Reports["text"])
	return out, nil
}

func lastError() error { return errors.New("assay: " + C.GoString(C.assay_error())) }

func parse(a *C.assay, h *History) (*C.assay_history, error) {
	data := C.CBytes(h.Data)
	defer C.free(data)
	name := C.CString(h.Name)
	defer C.free(unsafe.Pointer(name))
	var format *C.char
	if h.Format != "" {
		format = C.CString(h.Format)
		defer C.free(unsafe.Pointer(format))
	}
	history := C.assay_parse(a, data, C.size_t(len(h.Data)), format)
	if history == nil || C.assay_history_set_name(history, name) != C.ASSAY_OK {
		err := lastError()
		C.assay_history_free(history)
		return nil, err
	}
	return history, nil
}

func show(r *C.assay_result, format string) ([]byte, error) {
	f := C.CString(format)
	defer C.free(unsafe.Pointer(f))
	var n C.size_t
	text := C.assay_result_text(r, f, &n)
	if text == nil {
		return nil, lastError()
	}
	return C.GoBytes(unsafe.Pointer(text), C.int(n)), nil
}
