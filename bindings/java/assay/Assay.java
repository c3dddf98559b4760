package assay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
 * libassayjni: the system property assay.library names it, or the jar has it
 * (tools/make-jar), or it is on java.library.path.
 */
public final class Assay {
    static {
        String file = System.getProperty("assay.library");
        if (file != null) {
            System.load(file);
        } else {
            loadFromJar();
        }
    }

    private static void loadFromJar() {
        try (InputStream in = Assay.class.getResourceAsStream(
                "native/" + System.getProperty("os.arch") + "/libassayjni.so")) {
            if (in == null) {
                System.loadLibrary("assayjni");
                return;
            }
            Path copy = Files.createTempFile("libassayjni", ".so");
            try {
                Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
                System.load(copy.toString());
            } finally {
                Files.delete(copy); // it stays loaded
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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

        /** Throws IllegalArgumentException for half of a surrogate pair, which is no character. */
        public static History parse(String text) {
            return new History(null, utf8(text));
        }

        /** A history in any format; the bytes are not copied. */
        public static History parse(byte[] bytes) {
            return new History(null, bytes);
        }
    }

    /** Limits of a check; 0 means no limit. */
    public static final class Limits {
        public final long milliseconds;
        public final long bytes;
        public final boolean complete;

        public Limits(long milliseconds, long bytes) {
            this(milliseconds, bytes, false);
        }

        private Limits(long milliseconds, long bytes, boolean complete) {
            this.milliseconds = milliseconds;
            this.bytes = bytes;
            this.complete = complete;
        }

        /** The same; what holds only as far as it was recorded is UNKNOWN. */
        public Limits complete() {
            return new Limits(milliseconds, bytes, true);
        }

        public static final Limits NONE = new Limits(0, 0);
    }

    /** The verdict, and the reports in the formats that were asked for. */
    public static final class Result {
        public final Verdict verdict;
        /** How many transactions were recorded in part. */
        public final long partial;
        private final List<byte[]> reports;

        Result(int status, long partial, List<byte[]> reports) {
            this.verdict = Verdict.of(status);
            this.partial = partial;
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
        long[] partial = new long[1];
        byte[][] reports = new byte[formats.length + 1][];
        int status = run(history.path == null ? null : text(history.path), history.bytes,
                         text(levels), -1, limits.milliseconds, limits.bytes, limits.complete,
                         names(formats), reports, partial);
        return new Result(status, partial[0], new ArrayList<>(List.of(reports)));
    }

    /** The results of predictions: whether there is one at any level. */
    public enum Answer { NONE, PREDICTED, UNKNOWN }

    /** What the same program could also have done. */
    public static final class Prediction {
        public final Answer answer;
        private final List<byte[]> reports;

        Prediction(int status, List<byte[]> reports) {
            this.answer = status == 0 ? Answer.NONE : status == 1 ? Answer.PREDICTED : Answer.UNKNOWN;
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

    /**
     * Looks for executions that the same program could also have had at a level, or on a database
     * ("postgresql:rc"), and that no serial order explains; at most that many for each level.
     */
    public static Prediction predict(History history, String levels, int most, Limits limits,
                                     String... formats) {
        if (most < 0) {
            throw new IllegalArgumentException("a negative number of predictions");
        }
        byte[][] reports = new byte[formats.length + 1][];
        int status = run(history.path == null ? null : text(history.path), history.bytes,
                         text(levels), most, limits.milliseconds, limits.bytes, limits.complete,
                         names(formats), reports, null);
        return new Prediction(status, new ArrayList<>(List.of(reports)));
    }

    /** The names of formats as C needs them, the text first. */
    private static byte[][] names(String[] formats) {
        byte[][] names = new byte[formats.length + 1][];
        names[0] = text("text");
        for (int i = 0; i < formats.length; i++) {
            names[i + 1] = text(formats[i]);
        }
        return names;
    }

    /** Bytes that end with zero, as C needs them. */
    private static byte[] text(String s) {
        if (s.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a text with a zero character");
        }
        return utf8(s + "\0");
    }

    /** String.getBytes writes '?' for what is no character: different texts become the same. */
    private static byte[] utf8(String s) {
        try {
            ByteBuffer out = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(s));
            byte[] bytes = new byte[out.remaining()];
            out.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("half of a surrogate pair, which is not a character", e);
        }
    }

    /** Checks, or predicts if most is not negative. */
    private static native int run(byte[] path, byte[] bytes, byte[] levels, int most,
                                  long milliseconds, long memory, boolean complete,
                                  byte[][] formats, byte[][] reports, long[] partial);

    private Assay() {
    }
}
