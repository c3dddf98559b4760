// JdbcApp.java LEVEL -- JDBC reads an account in two threads, with prepared
// statements that become binary, and writes it in both.
import java.sql.*;
import java.util.concurrent.*;

public class JdbcApp
{
    static final CyclicBarrier barrier = new CyclicBarrier(2);

    static void
    work(String url, int level, int n) throws Exception
    {
        try (Connection c = DriverManager.getConnection(url)) {
            c.setAutoCommit(false);
            c.setTransactionIsolation(level);
            PreparedStatement all =
                c.prepareStatement("select * from account order by id");
            all.setFetchSize(2);
            PreparedStatement one =
                c.prepareStatement("select balance from account where id = ?");
            PreparedStatement save = c.prepareStatement(
                "update account set balance = ? where id = ?");
            for (int id = 1; id <= 3; id++) {
                try {
                    try (ResultSet r = all.executeQuery()) {
                        while (r.next())
                            r.getInt(1);
                    }
                    int balance;
                    one.setInt(1, id);
                    try (ResultSet r = one.executeQuery()) {
                        r.next();
                        balance = r.getInt(1);
                    }
                    try {
                        barrier.await(2, TimeUnit.SECONDS);
                    } catch (TimeoutException | BrokenBarrierException e) {
                        barrier.reset();
                    }
                    save.setInt(1, balance + n);
                    save.setInt(2, id);
                    save.addBatch();
                    save.executeBatch();
                    c.commit();
                } catch (SQLException e) {
                    c.rollback();
                    String state = e.getSQLState();
                    if (!"40001".equals(state))
                        throw e;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception
    {
        String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" +
                     System.getenv("PGPORT") + "/" +
                     System.getenv("PGDATABASE") +
                     "?prepareThreshold=1&user=" + System.getenv("PGUSER");
        int level = args[0].equals("serializable")
                        ? Connection.TRANSACTION_SERIALIZABLE
                        : Connection.TRANSACTION_READ_COMMITTED;
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Future<?>[] all = new Future<?>[ 2 ];
        for (int i = 0; i < 2; i++) {
            int n = 1 + 9 * i;
            all[i] = pool.submit(() -> {
                work(url, level, n);
                return null;
            });
        }
        for (Future<?> f : all)
            f.get();
        pool.shutdown();
    }
}
