// node_app.js LIBRARY LEVEL -- two transactions read an account and write it.
"use strict";
const [library, level] = process.argv.slice(2);
const url = process.env.DATABASE_URL;
const SERIAL = level === "serializable";

// One transaction: begin, read, write, end.
const libraries = {
    async pg() {
        const { Client } = require("pg");
        return async () => {
            const c = new Client(url);
            await c.connect();
            let found;
            return {
                begin: () => c.query("begin isolation level " + level),
                read: async (id) => {
                    found = (await c.query({name: "one", text:
                        "select * from account where id = $1", values: [id]}))
                        .rows[0];
                },
                write: (n) => c.query(
                    "update account set balance = $1 where id = $2",
                    [found.balance + n, found.id]),
                commit: () => c.query("commit"),
                rollback: () => c.query("rollback"),
                close: () => c.end(),
            };
        };
    },
    async knex() {
        const knex = require("knex")({client: "pg", connection: url});
        return async () => {
            let t, found;
            return {
                begin: async () => {
                    t = await knex.transaction({isolationLevel: level});
                },
                read: async (id) => {
                    found = await t("account").where({id}).first();
                },
                write: (n) => t("account").where({id: found.id})
                    .update({balance: found.balance + n}),
                commit: () => t.commit(),
                rollback: () => t.rollback(),
                close: () => {},
                end: () => knex.destroy(),
            };
        };
    },
    async sequelize() {
        const { Sequelize, DataTypes } = require("sequelize");
        const s = new Sequelize(url, {logging: false});
        const Account = s.define("account", {
            owner: DataTypes.TEXT, balance: DataTypes.INTEGER},
            {tableName: "account", timestamps: false});
        return async () => {
            let transaction, found;
            return {
                begin: async () => {
                    transaction = await s.transaction(
                        {isolationLevel: level.toUpperCase()});
                },
                read: async (id) => {
                    found = await Account.findByPk(id, {transaction});
                },
                write: (n) => {
                    found.balance += n;
                    return found.save({transaction});
                },
                commit: () => transaction.commit(),
                rollback: () => transaction.rollback(),
                close: () => {},
                end: () => s.close(),
            };
        };
    },
    async typeorm() {
        require("reflect-metadata");
        const { DataSource, EntitySchema } = require("typeorm");
        const Account = new EntitySchema({name: "account", columns: {
            id: {type: Number, primary: true}, owner: {type: "text"},
            balance: {type: Number}}});
        const source = await new DataSource(
            {type: "postgres", url, entities: [Account]}).initialize();
        return async () => {
            const runner = source.createQueryRunner();
            await runner.connect();
            let found;
            return {
                begin: () => runner.startTransaction(level.toUpperCase()),
                read: async (id) => {
                    found = await runner.manager.findOneBy(Account, {id});
                },
                write: (n) => {
                    found.balance += n;
                    return runner.manager.save(Account, found);
                },
                commit: () => runner.commitTransaction(),
                rollback: () => runner.rollbackTransaction(),
                close: () => runner.release(),
                end: () => source.destroy(),
            };
        };
    },
};

async function finish(t, n) {
    try {
        await t.write(n);
        await t.commit();
    } catch (e) {
        const code = e.code || (e.original && e.original.code) ||
            (e.driverError && e.driverError.code);
        if (!SERIAL || code !== "40001") throw e;
        try { await t.rollback(); } catch (ignored) { }
    }
}

(async () => {
    const open = await libraries[library]();
    let end;
    for (let id = 1; id <= 3; id++) {
        const two = [await open(), await open()];
        for (const t of two) {
            await t.begin();
            await t.read(id);
        }
        await Promise.all(two.map((t, i) => finish(t, 1 + 9 * i)));
        for (const t of two) await t.close();
        end = two[0].end;
    }
    if (end) await end();
})().catch((e) => { console.error(e); process.exit(1); });
