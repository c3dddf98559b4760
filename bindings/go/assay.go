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
	"strings"
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
	Work      int64 // steps per level
	Complete  bool  // what holds as far as it was recorded is unknown
}

// --- histories ----------------------------------------------------------------

// History is a recorded history: bytes in a format, and what to call it.
type History struct {
	Name   string
	Data   []byte
	Format string // "" = by the contents
	path   string // "" = the bytes
	err    error  // of the recording; no check takes it
}

// Load names the history at a path, which may be a directory.  Checks read it.
func Load(path string) (*History, error) {
	_, err := os.Stat(path)
	return &History{Name: path, path: path}, err
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
// has failed or was skipped.  A test that recorded nothing fails.  Tests with
// their own recorders may run in parallel.
func Record(t CleanupTB, level Level) *Recorder {
	r := NewRecorder()
	t.Cleanup(func() {
		t.Helper()
		skipped, ok := t.(interface{ Skipped() bool })
		if t.Failed() || (ok && skipped.Skipped()) {
			return
		}
		h := r.History()
		if len(h.Data) == 0 {
			t.Errorf("assay: the test recorded no transaction")
			return
		}
		Check(t, h, level)
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
	ops     []json.RawMessage
	partial []string
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
			s.err = fmt.Errorf("there is a session %q already", name)
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
	s.open, s.ops, s.partial = true, []json.RawMessage{}, nil
	if s.clock {
		s.start = now()
	}
}

// fail keeps the first error: History then has a recording that no check takes.
func (s *Session) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// encode is JSON of a value as it is now.  The package json replaces text that
// is not UTF-8 by U+FFFD: different values would become the same.
func encode(value interface{}) ([]byte, error) {
	text, err := json.Marshal(value)
	for i := bytes.Index(text, []byte(`\ufffd`)); err == nil && i >= 0; {
		slashes := 0
		for slashes < i && text[i-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return nil, errors.New("a text that was recorded is not UTF-8")
		}
		next := bytes.Index(text[i+1:], []byte(`\ufffd`))
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return text, err
}

func (s *Session) add(op ...interface{}) {
	if !s.open {
		s.fail(errors.New("an operation of a transaction that was not begun"))
		return
	}
	text, err := encode(op)
	if err != nil {
		s.fail(err)
	}
	s.ops = append(s.ops, text)
}

// Read records a read; nil: the key had no value; a slice: all elements.
func (s *Session) Read(key, value interface{}) { s.add("r", key, value) }

// Write records a write.
func (s *Session) Write(key, value interface{}) { s.add("w", key, value) }

// Append records that an element was appended to a list.
func (s *Session) Append(key, element interface{}) { s.add("append", key, element) }

// Op records an operation as doc/formats/jsonl.md has it, for rows and queries.
func (s *Session) Op(operation ...interface{}) { s.add(operation...) }

// Partial says that the transaction read more than is recorded, for example
// "which rows a statement did not find".
func (s *Session) Partial(what string) {
	if !s.open {
		s.fail(errors.New("Partial of a transaction that was not begun"))
	}
	s.partial = append(s.partial, what)
}

// End ends the transaction, after the answer of the database has arrived.
func (s *Session) End(o Outcome) {
	if !s.open {
		s.fail(errors.New("End without Begin"))
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
	if len(s.partial) > 0 {
		members["partial"] = s.partial
	}
	text, err := encode(members)
	if err != nil {
		s.fail(err)
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
			return &History{Name: "recording", err: fmt.Errorf("assay: session %q: %w", s.name, s.err)}
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
	Partial uint64            // transactions that were recorded in part
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
	out := &Result{Verdict: Unknown, Reports: map[string][]byte{}}
	err := with(h, level, o, func(a *C.assay, history *C.assay_history, levels *C.char) error {
		r := C.assay_check(a, history, levels)
		if r == nil {
			return lastError()
		}
		defer C.assay_result_free(r)
		out.Verdict = Verdict(C.assay_verdict(r))
		out.Partial = uint64(C.assay_result_partial(r))
		return show(out.Reports, formats, func(f *C.char, n *C.size_t) *C.char {
			return C.assay_result_text(r, f, n)
		})
	})
	if err != nil {
		return nil, err
	}
	out.Text = string(out.Reports["text"])
	return out, nil
}

// Answer is the result of a prediction.
type Answer int

// The answers.
const (
	NonePredicted     Answer = C.ASSAY_NONE_PREDICTED
	Predicted         Answer = C.ASSAY_PREDICTED
	PredictionUnknown Answer = C.ASSAY_PREDICTION_UNKNOWN
)

// Prediction is what the same program could also have done.
type Prediction struct {
	Answer  Answer
	Text    string
	Reports map[string][]byte
}

// Predict looks for executions that the same program could also have had at a
// level, or on a database ("postgresql:rc"), and that no serial order explains.
// 'most' of them for each level.
func Predict(h *History, level Level, most int, o Options, formats ...string) (*Prediction, error) {
	out := &Prediction{Answer: PredictionUnknown, Reports: map[string][]byte{}}
	if most < 0 {
		return nil, errors.New("assay: a negative number of predictions")
	}
	err := with(h, level, o, func(a *C.assay, history *C.assay_history, levels *C.char) error {
		p := C.assay_predict(a, history, levels, C.size_t(most))
		if p == nil {
			return lastError()
		}
		defer C.assay_prediction_free(p)
		out.Answer = Answer(C.assay_answer(p))
		return show(out.Reports, formats, func(f *C.char, n *C.size_t) *C.char {
			return C.assay_prediction_text(p, f, n)
		})
	})
	if err != nil {
		return nil, err
	}
	out.Text = string(out.Reports["text"])
	return out, nil
}

// with runs work with a history and levels of the library.
func with(h *History, level Level, o Options, work func(*C.assay, *C.assay_history, *C.char) error) error {
	if h.err != nil {
		return h.err
	}
	for _, text := range []string{string(level), h.Name, h.Format, h.path} {
		if strings.IndexByte(text, 0) >= 0 { // C would see what is before it
			return fmt.Errorf("assay: %q has a zero byte", text)
		}
	}
	// The error of the library belongs to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a := C.assay_new()
	defer C.assay_free(a)
	if a == nil {
		return lastError()
	}
	if err := configure(a, o); err != nil {
		return err
	}
	history, err := read(a, h)
	if err != nil {
		return err
	}
	defer C.assay_history_free(history)
	levels := C.CString(string(level))
	defer C.free(unsafe.Pointer(levels))
	return work(a, history, levels)
}

func configure(a *C.assay, o Options) error {
	complete := int64(0)
	if o.Complete {
		complete = 1
	}
	// A time below a millisecond is a limit, too.
	ms := int64((o.Timeout + time.Millisecond - 1) / time.Millisecond)
	for _, row := range []struct {
		option C.assay_option
		value  int64
		always bool
	}{{C.ASSAY_TIMEOUT_MS, ms, true}, {C.ASSAY_MEMORY, o.Memory, true}, {C.ASSAY_WORK, o.Work, true},
		{C.ASSAY_EXPLAIN, o.Anomalies, o.Anomalies != 0}, {C.ASSAY_COMPLETE, complete, true}} {
		if row.always && C.assay_set(a, row.option, C.int64_t(row.value)) != C.ASSAY_OK {
			return lastError()
		}
	}
	return nil
}

func lastError() error { return errors.New("assay: " + C.GoString(C.assay_error())) }

func read(a *C.assay, h *History) (*C.assay_history, error) {
	name := C.CString(h.Name)
	defer C.free(unsafe.Pointer(name))
	var format *C.char
	if h.Format != "" {
		format = C.CString(h.Format)
		defer C.free(unsafe.Pointer(format))
	}
	var history *C.assay_history
	if h.path != "" {
		path := C.CString(h.path)
		defer C.free(unsafe.Pointer(path))
		history = C.assay_load(a, path, format)
	} else {
		data := C.CBytes(h.Data)
		defer C.free(data)
		history = C.assay_parse(a, data, C.size_t(len(h.Data)), format)
	}
	if history == nil || C.assay_history_set_name(history, name) != C.ASSAY_OK {
		err := lastError()
		C.assay_history_free(history)
		return nil, err
	}
	return history, nil
}

// show makes reports, the text among them.
func show(reports map[string][]byte, formats []string, text func(*C.char, *C.size_t) *C.char) error {
	for _, format := range append([]string{"text"}, formats...) {
		f := C.CString(format)
		var n C.size_t
		at := text(f, &n)
		C.free(unsafe.Pointer(f))
		if at == nil {
			return lastError()
		}
		reports[format] = append([]byte{}, unsafe.Slice((*byte)(unsafe.Pointer(at)), int(n))...)
	}
	return nil
}
