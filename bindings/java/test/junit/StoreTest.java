import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import assay.Assay;
import assay.Recorder;
import assay.Recorder.Outcome;
import assay.junit.AssayExtension;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * A key-value store with a bug, and a test that finds it: an example to copy.
 *
 * Transactions read from a snapshot. A commit should fail where another one has written one of its
 * keys since; with the bug it compares with the wrong clock.
 */
class StoreTest {
    @RegisterExtension static final AssayExtension ASSAY = AssayExtension.level("si");

    private static final class Store {
        private final boolean bug;
        private long clock;
        private final Map<String, Long> data = new HashMap<>();
        private final Map<String, Long> written = new HashMap<>();

        Store(boolean bug) {
            this.bug = bug;
        }

        Transaction begin() {
            return new Transaction(this);
        }
    }

    private static final class Transaction {
        private final Store store;
        private final long began;
        private final Map<String, Long> snapshot;
        private final Map<String, Long> writes = new HashMap<>();

        Transaction(Store store) {
            this.store = store;
            began = store.clock;
            snapshot = new HashMap<>(store.data);
        }

        Outcome commit() {
            long limit = store.bug ? began + 1 : began;
            for (String key : writes.keySet()) {
                if (store.written.getOrDefault(key, 0L) > limit) {
                    return Outcome.ABORTED;
                }
            }
            store.clock++;
            store.data.putAll(writes);
            writes.keySet().forEach(key -> store.written.put(key, store.clock));
            return Outcome.COMMITTED;
        }
    }

    /** Two clients add to one counter at the same time. */
    static void incrementAtOnce(Recorder recorder, boolean bug) {
        Store store = new Store(bug);
        Recorder.Session[] sessions = {recorder.session("client 1"), recorder.session("client 2")};
        Transaction[] transactions = new Transaction[2];
        for (int i = 0; i < 2; i++) {
            sessions[i].begin();
            transactions[i] = store.begin();
        }
        for (int i = 0; i < 2; i++) {
            Long seen = transactions[i].snapshot.get("counter");
            sessions[i].read("counter", seen);
            long value = (seen == null ? 0 : seen) + i + 1;
            transactions[i].writes.put("counter", value);
            sessions[i].write("counter", value);
            sessions[i].end(transactions[i].commit());
        }
    }

    @Test
    void theStoreWithoutTheBug(Recorder recorder) {
        incrementAtOnce(recorder, false);
    }

    @Test
    void theBugIsFound() {
        Recorder recorder = new Recorder();
        incrementAtOnce(recorder, true);
        AssertionError e =
            assertThrows(AssertionError.class, () -> Assay.check(recorder.history(), "si"));
        assertTrue(e.getMessage().contains("lost update"), e.getMessage());
    }

    /** Run by theExtensionFailsTheTest only: its name does not end in Test. */
    static class Buggy {
        @RegisterExtension static final AssayExtension ASSAY = AssayExtension.level("si");

        @Test
        void atOnce(Recorder recorder) {
            incrementAtOnce(recorder, true);
        }
    }

    @Test
    void theExtensionFailsTheTest() {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(Buggy.class)).build(),
            listener);
        var failures = listener.getSummary().getFailures();
        assertEquals(1, failures.size());
        assertTrue(failures.get(0).getException().getMessage().contains("lost update"));
    }
}
