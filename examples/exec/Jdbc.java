// Any database with a JDBC driver, tested through a program:
//
//     assay test 'exec:java -cp /usr/share/java/h2.jar Jdbc.java jdbc:h2:mem:a;DB_CLOSE_DELAY=-1' -w rows
//     assay test 'exec:java -cp /usr/share/java/hsqldb.jar Jdbc.java jdbc:hsqldb:mem:a'
//     assay test 'exec:java -cp /usr/share/java/derby.jar Jdbc.java jdbc:derby:memory:a;create=true'
//
// The answer to "open" names a dialect in "sql", so all workloads of SQL run.
// One process serves all sessions, with a thread and a connection for each,
// because these databases live in the memory of one process.
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;

public class Jdbc {
    static String url, dialect;
    static final Map<String, Integer> LEVELS = Map.of(
        "read uncommitted", Connection.TRANSACTION_READ_UNCOMMITTED,
        "read committed", Connection.TRANSACTION_READ_COMMITTED,
        "repeatable read", Connection.TRANSACTION_REPEATABLE_READ,
        "serializable", Connection.TRANSACTION_SERIALIZABLE);

    // What the driver says when it has rolled back, or when the transaction
    // can only be rolled back and tried again.
    static boolean isAbort(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return state.startsWith("40") || state.equals("90131") || state.equals("HYT00");
    }

    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray())
            if (c == '"' || c == '\\')
                out.append('\\').append(c);
            else if (c < ' ')
                out.append(String.format("\\u%04x", (int) c));
            else
                out.append(c);
        return out.append('"').toString();
    }

    // An object whose values are strings and numbers.
    static Map<String, String> parse(String line) {
        Map<String, String> out = new HashMap<>();
        String name = null;
        for (int i = 1; i < line.length() - 1; i++) {
            char c = line.charAt(i);
            if (c == ',' || c == ':' || c == ' ')
                continue;
            StringBuilder text = new StringBuilder();
            if (c == '"') {
                for (i++; line.charAt(i) != '"'; i++) {
                    char d = line.charAt(i);
                    if (d == '\\') {
                        d = line.charAt(++i);
                        if (d == 'u') {
                            d = (char) Integer.parseInt(line.substring(i + 1, i + 5), 16);
                            i += 4;
                        } else {
                            d = d == 'n' ? '\n' : d == 't' ? '\t' : d == 'r' ? '\r' : d;
                        }
                    }
                    text.append(d);
                }
            } else {
                while (i < line.length() - 1 && line.charAt(i) != ',')
                    text.append(line.charAt(i++));
            }
            if (name == null)
                name = text.toString();
            else {
                out.put(name, text.toString());
                name = null;
            }
        }
        return out;
    }

    static class Session {
        final ExecutorService thread = Executors.newSingleThreadExecutor();
        Connection link;
        boolean isReady;

        String open(Map<String, String> ask) throws SQLException {
            link = DriverManager.getConnection(url);
            link.setAutoCommit(true);
            String wanted = ask.get("isolation"), got = "";
            if (wanted != null) {
                link.setTransactionIsolation(LEVELS.get(wanted));
                for (String name : LEVELS.keySet())
                    if (LEVELS.get(name) == link.getTransactionIsolation())
                        got = ",\"isolation\":" + quote(name);
            }
            DatabaseMetaData about = link.getMetaData();
            return ",\"sessions\":\"many\",\"sql\":" + quote(dialect) + got + ",\"name\":"
                + quote(about.getDatabaseProductName() + " " + about.getDatabaseProductVersion());
        }

        String sql(String text) throws SQLException {
            try (Statement s = link.createStatement()) {
                if (!s.execute(text))
                    return ",\"changed\":" + Math.max(0, s.getUpdateCount());
                StringBuilder out = new StringBuilder(",\"rows\":[");
                ResultSet rows = s.getResultSet();
                int width = rows.getMetaData().getColumnCount();
                for (int n = 0; rows.next(); n++) {
                    out.append(n > 0 ? ",[" : "[");
                    for (int i = 1; i <= width; i++) {
                        String cell = rows.getString(i);
                        out.append(i > 1 ? "," : "").append(cell == null ? "null" : quote(cell));
                    }
                    out.append(']');
                }
                return out.append(']').toString();
            }
        }

        String answer(Map<String, String> ask) throws SQLException {
            switch (ask.get("do")) {
            case "open":
                return open(ask);
            case "begin":
                link.setAutoCommit(false);
                return "";
            case "commit":
                link.commit();
                link.setAutoCommit(true);
                return "";
            case "rollback":
                if (!link.getAutoCommit()) {
                    link.rollback();
                    link.setAutoCommit(true);
                }
                return "";
            case "sql":
                return sql(ask.get("sql"));
            case "close":
                if (!link.getAutoCommit())
                    link.rollback();
                link.close();
                return "";
            default:
                throw new SQLException("unknown request: " + ask.get("do"), "0A000");
            }
        }

        void run(Map<String, String> ask) {
            String reply;
            try {
                reply = "\"ok\":true" + answer(ask);
            } catch (SQLException e) {
                reply = "\"ok\":false,\"outcome\":\"" + (isAbort(e) ? "aborted" : "failed")
                    + "\",\"code\":" + quote(e.getSQLState() == null ? "" : e.getSQLState())
                    + ",\"message\":" + quote(String.valueOf(e.getMessage()));
            }
            String line = "{\"session\":" + ask.get("session") + "," + reply + "}\n";
            synchronized (out) {
                out.print(line);
                out.flush();
            }
            if (ask.get("do").equals("close"))
                thread.shutdown();
        }
    }

    static final PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    public static void main(String[] words) throws Exception {
        url = words[0];
        dialect = words.length > 1 ? words[1] : "other";
        Map<String, Session> sessions = new HashMap<>();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null;) {
            Map<String, String> ask = parse(line);
            String number = ask.get("session");
            if (ask.get("do").equals("open"))
                sessions.put(number, new Session());
            Session session = sessions.get(number);
            session.thread.execute(() -> session.run(ask));
        }
        System.exit(0);
    }
}
