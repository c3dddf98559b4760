package assay

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake notes what Check says to a test.
type fake struct{ said string }

func (f *fake) Helper()                                   {}
func (f *fake) Errorf(format string, args ...interface{}) { f.said += fmt.Sprintf(format, args...) }
func (f *fake) Fatalf(format string, args ...interface{}) { f.Errorf(format, args...) }

func skew() *History {
	rec := NewRecorder()
	for i, key := range []string{"x", "y"} {
		s := rec.Session(fmt.Sprint("doctor ", i))
		s.Begin()
		s.Read("x", nil)
		s.Read("y", nil)
		s.Write(key, 1)
		s.End(Committed)
	}
	return rec.History()
}

func TestThreeLines(t *testing.T) {
	Check(t, skew(), SI)
	var f fake
	if Check(&f, skew(), SER) || !strings.Contains(f.said, "write skew") {
		t.Errorf("got %q", f.said)
	}
}

func TestLostUpdate(t *testing.T) {
	store, rec := map[string]int{"counter": 0}, NewRecorder()
	rec.NoClock = true
	load := rec.Session("load")
	load.Begin()
	load.Write("counter", 0)
	load.End(Committed)
	seen := store["counter"] // both clients read before either writes: the bug
	for i := 1; i <= 2; i++ {
		s := rec.Session("")
		s.Begin()
		s.Read("counter", seen)
		store["counter"] = seen + i
		s.Write("counter", seen+i)
		s.End(Committed)
	}
	var f fake
	if Check(&f, rec.History(), SI) || !strings.Contains(f.said, "lost update") {
		t.Errorf("got %q", f.said)
	}
}

func TestErrors(t *testing.T) {
	if _, err := Decide(&History{Data: []byte("{"), Format: "jsonl"}, SI, Options{}); err == nil {
		t.Error("bad input passes")
	}
	if _, err := Decide(skew(), "nonsense", Options{}); err == nil {
		t.Error("a bad level passes")
	}
	rec := NewRecorder()
	rec.Session("same")
	rec.Session("same")
	var f fake
	if Check(&f, rec.History(), SI) || f.said == "" {
		t.Error("two sessions of one name pass")
	}
}

func TestMisuseIsRefused(t *testing.T) {
	misuses := map[string]func(s *Session){
		"not begun": func(s *Session) { s.Read("x", 1); s.Begin(); s.End(Committed) },
		"Begin":     func(s *Session) { s.End(Committed) },
		"UTF-8":     func(s *Session) { s.Begin(); s.Write("x", "\xff"); s.End(Committed) },
		"key":       func(s *Session) { s.Begin(); s.Write("\xfe", 1); s.End(Committed) },
		"float64":   func(s *Session) { s.Begin(); s.Write("x", math.NaN()); s.End(Committed) },
		"type":      func(s *Session) { s.Begin(); s.Write("x", func() {}); s.End(Committed) },
		"outcome":   func(s *Session) { s.Begin(); s.Write("x", 1); s.End("done") },
	}
	for name, misuse := range misuses {
		rec := NewRecorder()
		misuse(rec.Session(""))
		var f fake
		if Check(&f, rec.History(), SI) || f.said == "" {
			t.Error(name, "passes")
		}
	}
	for _, o := range []Options{{Timeout: -1e9}, {Memory: -1}, {Anomalies: -1}} {
		if _, err := Decide(skew(), SI, o); err == nil {
			t.Error("options pass", o)
		}
	}
	if _, err := Decide(skew(), "si\x00,ser", Options{}); err == nil {
		t.Error("half a level passes")
	}
	rec := NewRecorder()
	s := rec.Session("a slash \\ufffd and \ufffd are text")
	s.Begin()
	s.Write(`\ufffd`, "\ufffd")
	s.End(Committed)
	Check(t, rec.History(), SER)
}

func TestValuesAreThoseOfTheCall(t *testing.T) {
	rec, elements := NewRecorder(), []int{1}
	s := rec.Session("")
	s.Begin()
	s.Append("l", 1)
	s.End(Committed)
	s.Begin()
	s.Read("l", elements)
	elements[0] = 2 // by the store, later
	s.End(Committed)
	Check(t, rec.History(), SER)
}

func TestRecordedInPart(t *testing.T) {
	rec := NewRecorder()
	s := rec.Session("")
	s.Begin()
	s.Write("x", 1)
	s.Partial("which rows a statement did not find")
	s.End(Committed)
	r, err := Decide(rec.History(), SER, Options{})
	if err != nil || r.Verdict != Holds || r.Partial != 1 {
		t.Error(r, err)
	}
	if r, err = Decide(rec.History(), SER, Options{Complete: true}); err != nil || r.Verdict != Unknown {
		t.Error(r, err)
	}
}

func TestNothingRecordedFails(t *testing.T) {
	var r recording
	Record(&r, SI)
	r.cleanup[0]()
	if !strings.Contains(r.said, "no transaction") {
		t.Errorf("got %q", r.said)
	}
}

func TestPredict(t *testing.T) {
	rec := NewRecorder()
	values := map[string]interface{}{}
	for _, key := range []string{"x", "y"} {
		s := rec.Session("")
		s.Begin()
		s.Read("x", values["x"])
		s.Read("y", values["y"])
		s.Write(key, 1)
		values[key] = 1
		s.End(Committed)
	}
	p, err := Predict(rec.History(), SI, 1, Options{})
	if err != nil || p.Answer != Predicted || !strings.Contains(p.Text, "write skew") {
		t.Error(p, err)
	}
	if _, err := Predict(rec.History(), SER, 1, Options{}); err == nil {
		t.Error("ser is predicted")
	}
}

func TestParallel(t *testing.T) {
	for i := 0; i < 4; i++ {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for k := 0; k < 10; k++ {
				Check(t, skew(), SI)
				if r, err := Decide(skew(), SER, Options{}); err != nil || r.Verdict != Violated {
					t.Error(r, err)
				}
			}
		})
	}
}

// predicted is the report of predictions; nil where the history is refused.
func predicted(h *History) []byte {
	p, err := Predict(h, SI, 1, Options{}, "json")
	if err != nil {
		return nil
	}
	return p.Reports["json"]
}

// TestDump writes results for tests/bindings/compare.
func TestDump(t *testing.T) {
	list, err := os.ReadFile(os.Getenv("ASSAY_LIST"))
	if err != nil {
		t.Skip("tests/bindings/compare sets ASSAY_LIST")
	}
	for i, path := range strings.Fields(string(list)) {
		h, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Decide(h, All, Options{}, "json")
		if err != nil {
			t.Fatal(path, err)
		}
		for suffix, data := range map[string][]byte{"status": []byte(fmt.Sprint(int(r.Verdict))),
			"text": []byte(r.Text), "json": r.Reports["json"], "predict-json": predicted(h)} {
			if data == nil {
				continue
			}
			name := filepath.Join(os.Getenv("ASSAY_OUT"), fmt.Sprint(i, ".", suffix))
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
