import assay.Assay;
import assay.Recorder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Tests of the binding, without a library for tests: java AssayTest. */
public final class AssayTest {
    private static int count;
    private static int failures;

    private static void check(boolean ok, String what) {
        System.out.println((ok ? "ok " : "not ok ") + ++count + " - " + what);
        failures += ok ? 0 : 1;
    }

    private static boolean fails(Class<? extends Throwable> kind, String with, Runnable run) {
        try {
            run.run();
            return false;
        } catch (Throwable e) {
            return kind.isInstance(e) && e.getMessage().contains(with);
        }
    }

    private static Assay.History skew() {
        Recorder recorder = new Recorder();
        for (String key : List.of("x", "y")) {
            Recorder.Session s = recorder.session("doctor of \"" + key + "\"");
            s.begin();
            s.read("x", null);
            s.read("y", null);
            s.write(key, 1);
            s.end(Recorder.Outcome.COMMITTED);
        }
        return recorder.history();
    }

    private static Assay.History lostUpdate() {
        Recorder recorder = new Recorder(false);
        long counter = 0;
        Recorder.Session load = recorder.session("load");
        load.begin();
        load.write("counter", counter);
        load.end(Recorder.Outcome.COMMITTED);
        long seen = counter; // both clients read before either writes: the bug
        for (int client = 1; client <= 2; client++) {
            Recorder.Session s = recorder.session("client " + client);
            s.begin();
            s.read("counter", seen);
            counter = seen + client;
            s.write("counter", counter);
            s.end(Recorder.Outcome.COMMITTED);
        }
        return recorder.history();
    }

    /** Whether a wrong use throws, and the recording is refused after it. */
    private static boolean refused(Consumer<Recorder.Session> misuse) {
        Recorder recorder = new Recorder();
        Recorder.Session s = recorder.session("s");
        return fails(RuntimeException.class, "", () -> misuse.accept(s))
            && fails(IllegalStateException.class, "wrongly", () -> recorder.history());
    }

    private static Assay.History partial() {
        Recorder recorder = new Recorder();
        Recorder.Session s = recorder.session("s");
        s.begin();
        s.op("w", "x", Map.of("v", 1.5));
        s.partial("which rows a statement did not find");
        s.end(Recorder.Outcome.COMMITTED);
        return recorder.history();
    }

    private static Assay.History serial() {
        Recorder recorder = new Recorder();
        Object x = null;
        for (String key : List.of("x", "y")) {
            Recorder.Session s = recorder.session(key);
            s.begin();
            s.read("x", x);
            s.read("y", null);
            s.write(key, 1);
            x = 1;
            s.end(Recorder.Outcome.COMMITTED);
        }
        return recorder.history();
    }

    private static void dump(String list, String out) throws Exception {
        int i = 0;
        for (String path : Files.readAllLines(Path.of(list))) {
            Assay.Result r = Assay.inspect(Assay.History.load(Path.of(path)), "all",
                                           Assay.Limits.NONE, "json");
            Files.writeString(Path.of(out, i + ".status"), "" + r.verdict.status);
            Files.write(Path.of(out, i + ".text"), r.report(0));
            Files.write(Path.of(out, i + ".json"), r.report(1));
            try {
                Files.write(Path.of(out, i + ".predict-json"), Assay.predict(
                    Assay.History.load(Path.of(path)), "si", 1, Assay.Limits.NONE, "json").report(1));
            } catch (IllegalArgumentException e) {
                // not serializable, or lists
            }
            i++;
        }
    }

    public static void main(String[] arguments) throws Exception {
        check(Assay.check(skew(), "si").verdict == Assay.Verdict.HOLDS, "si holds");
        check(fails(AssertionError.class, "write skew", () -> Assay.check(skew(), "ser")),
              "a write skew is told");
        check(fails(AssertionError.class, "lost update", () -> Assay.check(lostUpdate(), "si")),
              "a lost update is told");
        check(fails(IllegalArgumentException.class, "expected",
                    () -> Assay.check(Assay.History.parse("{\"session\":1,\"ops\":[}"), "si")),
              "bad input is refused");
        check(fails(IllegalArgumentException.class, "nonsense",
                    () -> Assay.check(skew(), "nonsense")), "a bad level is refused");
        check(fails(IllegalStateException.class, "begun",
                    () -> new Recorder().session("s").read("x", 1)), "begin comes first");
        check(fails(IllegalArgumentException.class, "range",
                    () -> Assay.inspect(skew(), "si", new Assay.Limits(-1, 0))), "a bad limit is refused");
        check(fails(IllegalArgumentException.class, "zero",
                    () -> Assay.check(skew(), "si\0,ser")), "half of a level is refused");
        for (Object value : new Object[] {new Object(), Double.NaN, 'c'}) {
            check(refused(s -> { s.begin(); s.write("x", value); }), "a value is refused: " + value.getClass());
        }
        check(refused(s -> s.read("x", 1)), "a session that was used wrongly is refused");
        check(fails(IllegalArgumentException.class, "surrogate", () -> {
            Recorder recorder = new Recorder();
            Recorder.Session s = recorder.session("s");
            s.begin();
            s.write("x", "\ud800");
            s.end(Recorder.Outcome.COMMITTED);
            Assay.check(recorder.history(), "si");
        }), "half of a character is refused");
        Assay.History gap = partial();
        Assay.Result whole = Assay.check(gap, "ser");
        check(whole.partial == 1 && whole.text().contains("as far as it was recorded"), "gaps are told");
        check(Assay.inspect(gap, "ser", Assay.Limits.NONE.complete()).verdict == Assay.Verdict.UNKNOWN,
              "gaps may be too much");
        Assay.Prediction p = Assay.predict(serial(), "si", 1, Assay.Limits.NONE, "json");
        check(p.answer == Assay.Answer.PREDICTED && p.text().contains("write skew"), "a write skew is predicted");
        check(fails(IllegalArgumentException.class, "predict",
                    () -> Assay.predict(serial(), "ser", 1, Assay.Limits.NONE)), "ser is not predicted");
        if (System.getenv("ASSAY_LIST") != null) {
            dump(System.getenv("ASSAY_LIST"), System.getenv("ASSAY_OUT"));
        }
        System.out.println("1.." + count);
        System.exit(failures);
    }
}
