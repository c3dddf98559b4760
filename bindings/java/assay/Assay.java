package assay;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks from a Java test whether transactions were isolated.
 *
 * <pre>
 *   Recorder recorder = new Recorder();
 *   Recorder.Session s = recorder.session("worker 1");
 *   s.begin(); s.read("x", 1); s.write("x", 2); s.end(Recorder.Outcome.COMMITTED);
 *   Assay.check(recorder.history(), "si");
 * </pre>
 *
 * check throws an AssertionError with the story of the anomaly. The class needs
 * libassayjni and libassay: the system property assay.library names the former,
 * otherwise it is looked for on java.library.path.
 */
public final class Assay {
    static {
        String file = System.getProperty("assay.library");
        if (file != null) {
            System.load(file);
        } else {
            System.loadLibrary("assayjni");
        }
    }

    /** The verdicts, with the exit statuses of the program. */
    public enum Verdict {
        HOLDS(0), VIOLATED(1), UNKNOWN(3);

        public final int status;

        Verdict(int status) {
            this.status = status;
        }

        static Verdict of(int status) {
            for (Verdict v : values()) {
                if (v.status == status) {
                    return v;
                }
            }
            return UNKNOWN;
        }
    }

    /** A history: bytes in any format that Assay reads, or a file. */
    public static final class History {
        final String path;
        final byte[] bytes;

        private History(String path, byte[] bytes) {
            this.path = path;
            this.bytes = bytes;
        }

        public static History load(Path path) {
            return new History(path.toString(), null);
        }

        public static History parse(String text) {
            return new History(null, text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Limits of a check; 0 means no limit. */
    public static final class Limits {
        public final long milliseconds;
        public final long bytes;

        public Limits(long milliseconds, long bytes) {
            this.milliseconds = milliseconds;
            this.bytes = bytes;
        }

        public static final Limits NONE = new Limits(0, 0);
    }

    /** The verdict, and the reports in the formats that were asked for. */
    public static final class Result {
        public final Verdict verdict;
        private final List<byte[]> reports;

        Result(int status, List<byte[]> reports) {
            this.verdict = Verdict.of(status);
            this.reports = reports;
        }

        /** The report in the i-th format. */
        public byte[] report(int i) {
            return reports.get(i);
        }

        /** The story, for people. */
        public String text() {
            return new String(reports.get(0), StandardCharsets.UTF_8);
        }
    }

    /** Fails with the story unless the history satisfies every level. */
    public static Result check(History history, String levels) {
        Result result = inspect(history, levels, Limits.NONE);
        if (result.verdict != Verdict.HOLDS) {
            throw new AssertionError("\n" + result.text());
        }
        return result;
    }

    /**
     * Decides levels: "si", "si,ser", "all". The first report is the text; others follow.
     * Throws IllegalArgumentException where the library refuses the call.
     */
    public static Result inspect(History history, String levels, Limits limits,
                                 String... formats) {
        byte[][] names = new byte[formats.length + 1][];
        names[0] = text("text");
        for (int i = 0; i < formats.length; i++) {
            names[i + 1] = text(formats[i]);
        }
        byte[][] reports = new byte[names.length][];
        int status = run(history.path == null ? null : text(history.path), history.bytes,
                         text(levels), limits.milliseconds, limits.bytes, names, reports);
        return new Result(status, new ArrayList<>(List.of(reports)));
    }

    /** Bytes that end with zero, as C needs them. */
    private static byte[] text(String s) {
        return (s + "\0").getBytes(StandardCharsets.UTF_8);
    }

    private static native int run(byte[] path, byte[] bytes, byte[] levels, long milliseconds,
                                  long memory, byte[][] formats, byte[][] reports);

    private Assay() {
    }
}
