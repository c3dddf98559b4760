// What it costs to record a transaction of four operations with the binding for
// JavaScript.
//
//     tools/make-npm /tmp/node_modules/assay build/src/assay.wasm
//     cp bench/recording.mjs /tmp && node /tmp/recording.mjs [TRANSACTIONS]
//
// Prints microseconds of CPU time for each transaction, and for making its line.
import { Recorder } from 'assay';

const KEYS = 1000;
const txns = Number(process.argv[2] ?? 100000);
const recorder = new Recorder();
const session = recorder.session();
const values = new Map();
const cpu = () => process.cpuUsage().user + process.cpuUsage().system;
const began = cpu();
for (let i = 0; i < txns; i++) {
  const x = `k${i % KEYS}`;
  const y = `k${(i * 7 + 1) % KEYS}`;
  session.begin();
  session.read(x, values.get(x));
  values.set(x, 2 * i + 1);
  session.write(x, 2 * i + 1);
  session.read(y, values.get(y));
  values.set(y, 2 * i + 2);
  session.write(y, 2 * i + 2);
  session.end();
}
const recorded = cpu();
const lines = recorder.jsonl();
const finished = cpu();
if (!lines) throw new Error('nothing was recorded');
console.log(`${((recorded - began) / txns).toFixed(1)} us for each transaction, `
  + `${((finished - recorded) / txns).toFixed(1)} us to finish it`);
