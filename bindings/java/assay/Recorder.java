package assay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Collects what sessions do, on any threads. */
public final class Recorder {
    /** How a transaction ended. */
    public enum Outcome { COMMITTED, ABORTED, UNKNOWN }

    private final boolean clock;
    private final List<Session> sessions = new ArrayList<>();

    /** A recorder that takes times. */
    public Recorder() {
        this(true);
    }

    /** clock: whether to take times, which the strict levels need. */
    public Recorder(boolean clock) {
        this.clock = clock;
    }

    /** Opens a session; no other one may have its name. */
    public synchronized Session session(String name) {
        for (Session s : sessions) {
            if (s.name.equals(name)) {
                throw new IllegalArgumentException("there is a session " + name + " already");
            }
        }
        Session s = new Session(name, clock);
        sessions.add(s);
        return s;
    }

    /** What was recorded, in the format jsonl. No session may be in use. */
    public synchronized String jsonl() {
        List<Line> lines = new ArrayList<>();
        for (Session s : sessions) {
            if (s.isWrong) {
                throw new IllegalStateException("session " + s.name
                    + " was used wrongly, so something that the test did is not recorded");
            }
            if (s.ops != null) {
                s.end(Outcome.UNKNOWN);
            }
            lines.addAll(s.lines);
        }
        lines.sort(Comparator.comparingLong(l -> l.end)); // stable: sessions keep their order
        StringBuilder out = new StringBuilder();
        for (Line l : lines) {
            out.append(l.text);
        }
        return out.toString();
    }

    public Assay.History history() {
        return Assay.History.parse(jsonl());
    }

    private static final class Line {
        final long end;
        final String text;

        Line(long end, String text) {
            this.end = end;
            this.text = text;
        }
    }

    /** One transaction after another, on one thread at a time. */
    public static final class Session {
        private final String name;
        private final boolean clock;
        private final List<Line> lines = new ArrayList<>();
        private StringBuilder ops;
        private StringBuilder gaps = new StringBuilder();
        private long start;
        private boolean wasUnknown;
        private boolean isWrong;

        Session(String name, boolean clock) {
            this.name = name;
            this.clock = clock;
        }

        /** Before anything is sent to the database. */
        public void begin() {
            if (ops != null) {
                end(Outcome.UNKNOWN);
            }
            ops = new StringBuilder();
            gaps = new StringBuilder();
            start = clock ? System.nanoTime() : 0;
        }

        /** A read that returned a value: a number, a text, a list, or null for none. */
        public void read(String key, Object value) {
            add("r", key, value);
        }

        public void write(String key, Object value) {
            add("w", key, value);
        }

        public void append(String key, Object element) {
            add("append", key, element);
        }

        /** An operation as doc/formats/jsonl.md has it, for rows and queries. */
        public void op(Object... operation) {
            add(Arrays.asList(operation));
        }

        /**
         * The transaction read more than is recorded, for example "which rows a statement did not
         * find".
         */
        public void partial(String what) {
            needTransaction();
            gaps.append(gaps.length() > 0 ? "," : "");
            putText(what, gaps);
        }

        /** The recording lacks something that a test did: no check may pass. */
        private void needTransaction() {
            if (ops == null) {
                isWrong = true;
                throw new IllegalStateException("no transaction has begun");
            }
        }

        private void add(List<?> operation) {
            needTransaction();
            StringBuilder out = new StringBuilder();
            try {
                put(operation, out);
            } catch (RuntimeException e) {
                isWrong = true;
                throw e;
            }
            ops.append(ops.length() > 0 ? "," : "").append(out);
        }

        private void add(String kind, String key, Object value) {
            add(Arrays.asList(kind, key, value));
        }

        /** After the answer of the database has arrived. */
        public void end(Outcome outcome) {
            needTransaction();
            StringBuilder out = new StringBuilder();
            if (wasUnknown) {
                out.append("{\"session\":");
                put(name, out);
                out.append(",\"status\":\"unknown\"}\n");
            }
            out.append("{\"session\":");
            put(name, out);
            long end = clock ? System.nanoTime() : lines.size();
            if (clock) {
                out.append(",\"start\":").append(start).append(",\"end\":").append(end);
            }
            if (outcome != Outcome.COMMITTED) {
                out.append(outcome == Outcome.ABORTED ? ",\"status\":\"aborted\""
                                                      : ",\"status\":\"unknown\"");
            }
            if (gaps.length() > 0) {
                out.append(",\"partial\":[").append(gaps).append(']');
            }
            out.append(",\"ops\":[").append(ops).append("]}\n");
            lines.add(new Line(end, out.toString()));
            wasUnknown = outcome == Outcome.UNKNOWN;
            ops = null;
        }
    }

    /** A value as JSON. */
    private static void put(Object value, StringBuilder out) {
        if (value == null || value instanceof Long || value instanceof Integer
                || value instanceof Short || value instanceof Byte || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof List) {
            out.append('[');
            String separator = "";
            for (Object x : (List<?>) value) {
                out.append(separator);
                put(x, out);
                separator = ",";
            }
            out.append(']');
        } else if (value instanceof Double && Double.isFinite((Double) value)) {
            out.append(value);
        } else if (value instanceof Map) {
            out.append('{');
            String separator = "";
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                out.append(separator);
                putText((String) member.getKey(), out);
                put(member.getValue(), out.append(':'));
                separator = ",";
            }
            out.append('}');
        } else if (value instanceof String) {
            putText((String) value, out);
        } else {
            throw new IllegalArgumentException("a value of " + value.getClass());
        }
    }

    private static void putText(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c == '"' || c == '\\') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
