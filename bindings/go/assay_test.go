package assay

import (
	"fmt"
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
			"text": []byte(r.Text), "json": r.Reports["json"]} {
			name := filepath.Join(os.Getenv("ASSAY_OUT"), fmt.Sprint(i, ".", suffix))
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
