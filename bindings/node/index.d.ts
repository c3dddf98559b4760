import { AssertionError } from 'node:assert';

/** A short name: 'rc', 'ra', 'cc', 'pc', 'psi', 'si', 'ser', 'strict-si',
 * 'strict-ser'; several with commas; or 'all'. */
export type Level = string;
export type Verdict = 'ok' | 'violated' | 'unknown';
export type Outcome = 'committed' | 'aborted' | 'unknown';
export type Format = 'text' | 'json' | 'html' | 'markdown' | 'svg' | 'dot' | 'junit' | 'sarif';

/** A transaction in the notation of doc/formats/jsonl.md. */
export interface Transaction {
  session?: string | number;
  id?: string | number;
  ops?: unknown[][];
  start?: number | bigint;
  end?: number | bigint;
  status?: Outcome;
  [member: string]: unknown;
}

export interface Options {
  level?: Level;
  /** Milliseconds; 0 or nothing: no limit. */
  timeout?: number;
  /** Bytes. */
  memory?: number;
  /** Anomalies to explain per violated level. */
  anomalies?: number;
  /** Steps per level: a limit with the same verdict on every machine. */
  work?: number;
  /** 0: sessions give no order. */
  sessionOrder?: 0 | 1;
  /** 1: what holds only as far as it was recorded is 'unknown'. */
  complete?: 0 | 1;
  /** 0: do not check certificates. */
  verify?: 0 | 1;
  /** Reports to make beside the text. */
  formats?: Format[];
}

export class AssayError extends Error {
  readonly status: number;
  readonly line: number;
  readonly column: number;
}

export class Violation extends AssertionError {
  readonly result: Result;
}

export class History {
  constructor(data: string | Uint8Array, about?: { name?: string; format?: string });
  readonly data: Uint8Array;
  readonly name: string;
  readonly format?: string;
}

export class Result {
  /** The exit status of the program: 0, 1 or 3. */
  readonly status: 0 | 1 | 3;
  readonly verdict: Verdict;
  readonly levels: Record<string, Verdict>;
  readonly reports: Record<string, string>;
  readonly transactions: number;
  /** Transactions that were recorded in part. */
  readonly partial: number;
  readonly text: string;
}

export type Answer = 'none' | 'predicted' | 'unknown';

export class Prediction {
  readonly answer: Answer;
  readonly levels: Record<string, Answer>;
  readonly reports: Record<string, string>;
  readonly text: string;
}

export class Session {
  begin(): void;
  read<T>(key: unknown, value: T): T;
  write(key: unknown, value: unknown): void;
  append(key: unknown, element: unknown): void;
  op(operation: unknown[]): void;
  partial(what: string): void;
  end(outcome?: Outcome): void;
  transaction<T>(work: (session: Session) => T | Promise<T>): Promise<T>;
  close(): void;
}

export class Recorder {
  constructor(options?: { clock?: boolean });
  session(name?: string): Session;
  jsonl(): string;
}

export type Recorded = Recorder | History | Transaction[] | string | Uint8Array;

export function version(): string;
export function load(path: string | URL, format?: string): History;
export function inspect(history: Recorded, options?: Options): Result;
export function predict(history: Recorded, options?: Options & { most?: number }): Prediction;
export function check(history: Recorded, options?: Options & { report?: string }): Result;

export const matchers: {
  toBeIsolated(history: Recorded, level?: Level): { pass: boolean; message(): string };
};
