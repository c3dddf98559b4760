// clinic.js -- the application of python/clinic.py with knex.
//
//     node clinic.js migrate|reset|test [--fixed]
//
// It names no endpoints: the names are the shapes of the transactions.  With
// --fixed the races are gone by an UPDATE that checks and changes (withdraw,
// redeem), a row that every change of a rule locks (leave, enrol), and a unique
// constraint (book).
"use strict";
const [word] = process.argv.slice(2);
const FIXED = process.argv.includes("--fixed");
const knex = require("knex")({
    client: "pg",
    connection: {
        host: process.env.PGHOST, port: Number(process.env.PGPORT),
        user: process.env.PGUSER, database: process.env.PGDATABASE,
    },
    pool: {min: 0, max: 1},
});

const views = {
    async withdraw(t, id, amount) {
        if (FIXED)
            return await t("account").where({id})
                .where("balance", ">=", amount)
                .update({balance: t.raw("balance - ?", [amount])}) === 1;
        const account = await t("account").where({id}).first();
        if (account.balance < amount) return false;
        await t("account").where({id})
            .update({balance: account.balance - amount});
        return true;
    },
    async leave(t, id) {
        if (FIXED) await t("ward").where({id: 1}).forUpdate().first();
        const [{count}] = await t("doctor").where({on_call: true}).count();
        if (Number(count) < 2) return false;
        await t("doctor").where({id}).update({on_call: false});
        return true;
    },
    async book(t, room_id, hour) {
        if (await t("booking").where({room_id, hour}).first()) return false;
        await t("booking").insert({room_id, hour});
        return true;
    },
    async cancel(t, hour) {
        await t("booking").where({hour}).del();
        return true;
    },
    async redeem(t, code, customer) {
        if (FIXED) {
            if (await t("coupon").where({code}).where("uses", ">", 0)
                .decrement("uses", 1) === 0) return false;
        } else {
            const coupon = await t("coupon").where({code}).first();
            if (coupon.uses === 0) return false;
            await t("coupon").where({code}).update({uses: coupon.uses - 1});
        }
        await t("discount").insert({code, customer});
        return true;
    },
    async enrol(t, course_id, name) {
        const rows = t("course").where({id: course_id});
        const course = await (FIXED ? rows.forUpdate() : rows).first();
        const [{count}] = await t("student").where({course_id}).count();
        if (Number(count) >= course.places) return false;
        await t("student").insert({course_id, name});
        return true;
    },
};

const requests = [
    ["withdraw", 1, 30, true], ["withdraw", 1, 50, true],
    ["withdraw", 1, 70, false],
    ["leave", 1, true], ["leave", 2, true], ["leave", 3, false],
    ["book", 1, 9, true], ["book", 1, 9, false], ["cancel", 9, true],
    ["book", 1, 9, true],
    ["redeem", "spring", "ann", true], ["redeem", "spring", "bob", true],
    ["redeem", "spring", "eve", false],
    ["enrol", 1, "ann", true], ["enrol", 1, "bob", true],
    ["enrol", 1, "eve", false],
];

const words = {
    async migrate() {
        await knex.raw("create table account (id int primary key, owner text, " +
            "balance int); create table ward (id int primary key); " +
            "create table doctor (id int primary key, on_call boolean); " +
            "create table booking (id int generated always as identity " +
            "primary key, room_id int, hour int); " +
            "create table coupon (code text primary key, uses int); " +
            "create table discount (code text, customer text, " +
            "primary key (code, customer)); " +
            "create table course (id int primary key, places int); " +
            "create table student (course_id int, name text, " +
            "primary key (course_id, name))");
    },
    async reset() {
        await knex.raw("truncate account, ward, doctor, booking, coupon, " +
            "discount, course, student restart identity; " +
            "insert into account values (1, 'ann', 100); " +
            "insert into ward values (1); " +
            "insert into doctor values (1, true), (2, true), (3, true); " +
            "insert into coupon values ('spring', 2); " +
            "insert into course values (1, 2); " +
            "alter table booking drop constraint if exists once");
        if (FIXED)
            await knex.raw("alter table booking add constraint once " +
                "unique (room_id, hour)");
    },
    async test() {
        for (const request of requests) {
            const [name, ...given] = request;
            const expected = given.pop();
            const done = await knex.transaction(
                (t) => views[name](t, ...given));
            if (done !== expected)
                throw new Error(`${request}: ${done}`);
        }
    },
};

words[word]().then(() => knex.destroy(),
    (e) => { console.error(e); process.exit(1); });
