// Record transactions for 'assay check', a line each.
import java.io.*;
import java.nio.file.*;

class Recorder {
    private final BufferedWriter file;
    private int unknown; // transactions of unknown outcome

    Recorder(String path) throws IOException { file = Files.newBufferedWriter(Path.of(path)); }

    // ops is JSON: [["r","balance",100],["w","balance",110]]
    synchronized void transaction(String session, String ops, String status) throws IOException {
        // It may take effect after what the session does next, so it gets a session of its own.
        if (status.equals("unknown")) session += "-unknown-" + ++unknown;
        file.write("{\"session\":\"" + session + "\",\"ops\":" + ops + ",\"status\":\"" + status + "\"}\n");
        file.flush();
    }

    // Two clients deposit at the same time.
    public static void main(String[] words) throws IOException {
        Recorder r = new Recorder(words[0]);
        r.transaction("setup", "[[\"w\",\"balance\",100]]", "committed");
        r.transaction("ann", "[[\"r\",\"balance\",100],[\"w\",\"balance\",110]]", "committed");
        r.transaction("bob", "[[\"r\",\"balance\",100],[\"w\",\"balance\",120]]", "committed");
    }
}
