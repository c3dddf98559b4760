// Clinic.java -- the application of python/clinic.py with pgjdbc.
//
//     java -cp postgresql.jar Clinic.java migrate|reset|test [--fixed]
//
// Endpoints are the name of the application, which each request sets.  With
// --fixed all requests are SERIALIZABLE, which callers repeat if they fail with
// SQLSTATE 40001.
import java.sql.*;

public class Clinic
{
    static boolean fixed;
    static Connection c;

    static ResultSet
    query(String sql, Object... given) throws SQLException
    {
        PreparedStatement p = prepare(sql, given);
        ResultSet r = p.executeQuery();
        r.next();
        return r;
    }

    static void
    update(String sql, Object... given) throws SQLException
    {
        try (PreparedStatement p = prepare(sql, given)) {
            p.executeUpdate();
        }
    }

    static PreparedStatement
    prepare(String sql, Object... given) throws SQLException
    {
        PreparedStatement p = c.prepareStatement(sql);
        for (int i = 0; i < given.length; i++)
            p.setObject(i + 1, given[i]);
        return p;
    }

    static boolean
    withdraw(Object[] given) throws SQLException
    {
        int balance =
            query("select balance from account where id = ?", given[0])
                .getInt(1);
        int amount = (Integer)given[1];
        if (balance < amount)
            return false;
        update("update account set balance = ? where id = ?", balance - amount,
               given[0]);
        return true;
    }

    static boolean
    leave(Object[] given) throws SQLException
    {
        if (query("select count(*) from doctor where on_call").getInt(1) < 2)
            return false;
        update("update doctor set on_call = false where id = ?", given[0]);
        return true;
    }

    static boolean
    book(Object[] given) throws SQLException
    {
        if (query("select count(*) from booking where room = ? and begin_at < "
                  + "? and end_at > ?", given[0], given[2], given[1])
                .getInt(1) > 0)
            return false;
        update("insert into booking (room, begin_at, end_at) values (?, ?, ?)",
               given);
        return true;
    }

    static boolean
    cancel(Object[] given) throws SQLException
    {
        update("delete from booking where begin_at = ?", given);
        return true;
    }

    static boolean
    redeem(Object[] given) throws SQLException
    {
        int uses =
            query("select uses from coupon where code = ?", given[0]).getInt(1);
        if (uses == 0)
            return false;
        update("update coupon set uses = ? where code = ?", uses - 1, given[0]);
        update("insert into discount values (?, ?)", given);
        return true;
    }

    static boolean
    enrol(Object[] given) throws SQLException
    {
        int places = query("select places from course where id = ?", given[0])
                         .getInt(1);
        if (query("select count(*) from student where course = ?", given[0])
                .getInt(1) >= places)
            return false;
        update("insert into student values (?, ?)", given);
        return true;
    }

    interface View { boolean run(Object[] given) throws SQLException; }

    static void
    request(String name, View view, boolean expected, Object... given)
        throws SQLException
    {
        c.setClientInfo("ApplicationName", name);
        c.setAutoCommit(false);
        c.setTransactionIsolation(fixed
                                      ? Connection.TRANSACTION_SERIALIZABLE
                                      : Connection.TRANSACTION_READ_COMMITTED);
        boolean done = view.run(given);
        c.commit();
        c.setAutoCommit(true);
        if (done != expected)
            throw new RuntimeException(name + ": " + done);
    }

    static void
    test() throws SQLException
    {
        request("withdraw", Clinic::withdraw, true, 1, 30);
        request("withdraw", Clinic::withdraw, true, 1, 50);
        request("withdraw", Clinic::withdraw, false, 1, 70);
        request("leave", Clinic::leave, true, 1);
        request("leave", Clinic::leave, true, 2);
        request("leave", Clinic::leave, false, 3);
        request("book", Clinic::book, true, 1, 9, 11);
        request("book", Clinic::book, false, 1, 10, 12);
        request("cancel", Clinic::cancel, true, 9);
        request("book", Clinic::book, true, 1, 10, 12);
        request("redeem", Clinic::redeem, true, "spring", "ann");
        request("redeem", Clinic::redeem, true, "spring", "bob");
        request("redeem", Clinic::redeem, false, "spring", "eve");
        request("enrol", Clinic::enrol, true, 1, "ann");
        request("enrol", Clinic::enrol, true, 1, "bob");
        request("enrol", Clinic::enrol, false, 1, "eve");
    }

    static final String tables =
        "create table account (id int primary key, owner text, balance int);"
        + "create table doctor (id int primary key, on_call boolean);"
        + "create table booking (id int generated always as identity primary "
        + "key, room int, begin_at int, end_at int);"
        + "create table coupon (code text primary key, uses int);"
        + "create table discount (code text, customer text, primary key (code, "
        + "customer));"
        + "create table course (id int primary key, places int);"
        + "create table student (course int, name text, primary key (course, "
        + "name))";
    static final String rows =
        "truncate account, doctor, booking, coupon, discount, course, student "
        + "restart identity; insert into account values (1, 'ann', 100);"
        + "insert into doctor values (1, true), (2, true), (3, true);"
        + "insert into coupon values ('spring', 2);"
        + "insert into course values (1, 2)";

    public static void
    main(String[] args) throws Exception
    {
        fixed = args.length > 1 && args[1].equals("--fixed");
        c = DriverManager.getConnection(
            "jdbc:postgresql://" + System.getenv("PGHOST") + ":"
            + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE")
            + "?user=" + System.getenv("PGUSER"));
        if (args[0].equals("test"))
            test();
        else
            c.createStatement().execute(args[0].equals("migrate") ? tables
                                                                  : rows);
        c.close();
    }
}
