import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { instant } from '../../src/domain/core/brands.ts';
import type { CompletedRequest } from '../../src/domain/request/events.ts';
import type { EventMetadata } from '../../src/eventLog/eventLog.ts';
import { NO_HASH } from '../../src/eventLog/hashChain.ts';

/** The last event happens now. At this rate a million events cover 18 days. */
const REQUESTS_PER_HOUR = 2_300;
const STEP_MS = 3_600_000 / REQUESTS_PER_HOUR;
/** One request in this many fails on one or two accounts before another one serves it. */
const FAILED_OVER_EVERY = 12;
/** One event in this many is a sample of an account's usage. */
const SAMPLE_EVERY = 13;

const digest = (text: string): string => hash('sha256', text, 'hex');
const digests = (count: number, label: string) =>
  Array.from({ length: count }, (_, index) => digest(`${label} ${index}`));
/** Picks the first values more often than the last, as some accounts, keys and models are busier than others. */
const skewed = <Value>(values: readonly Value[], random: number): Value =>
  values[Math.floor(random * random * values.length)] as Value;

export const accounts = digests(50, 'account').map((text) => `acc_${text.slice(0, 16)}`);
export const keys = digests(20, 'key').map((text) =>
  text.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-8$4-$5'),
);
export const models = ['gpt-5.1-codex', 'gpt-5.1', 'gpt-5.1-codex-mini', 'gpt-5.2', 'gpt-5', 'gpt-5.4', 'gpt-5.5'];
const efforts = ['medium', 'high', 'low', null];
const failures = [
  ['error', 'stream_incomplete', 'The provider closed the connection before the answer was complete.'],
  ['429', 'rate_limit_exceeded', 'The limit of # tokens a day is used up; it resets at 00:00 UTC'],
  ['502', 'upstream_error', 'The provider answered 503 after # ms'],
  ['error', 'client_gone', 'The client hung up'],
  ['400', 'invalid_request_error', 'input[#].content must be a string or a list'],
] as const;

/** The id of the request at a position. */
export const requestIdAt = (position: number): string => `req_${digest(`request ${position}`).slice(0, 32)}`;

/** The event at a position: the same in every run, apart from its times. About 700 bytes of data. */
function event(position: number, time: number): [type: string, data: unknown] {
  const random = seeded(position);
  const accountId = skewed(accounts, random());
  if (position % SAMPLE_EVERY === 0) {
    const window = (minutes: number) => ({
      usedPercent: Math.floor(random() * 101),
      resetAt: time + 3_600_000,
      windowMinutes: minutes,
    });
    return ['AccountUsageObserved', { accountId, primary: window(300), secondary: window(10_080), credits: null }];
  }
  const latencyMs = 800 + Math.floor(random() ** 3 * 60_000);
  const requestedAt = Math.floor(time - latencyMs);
  const failure = random() < 0.03 ? skewed(failures, random()) : undefined;
  const inputTokens = 2_000 + Math.floor(random() * 60_000);
  const outputTokens = 50 + Math.floor(random() * 2_000);
  return [
    'RequestCompleted',
    {
      requestId: requestIdAt(position),
      keyId: skewed(keys, random()),
      route: '/v1/responses',
      model: skewed(models, random()),
      effort: skewed(efforts, random()),
      requestedAt,
      admission: {
        decidedAt: position,
        asOf: requestedAt,
        v: 1,
        estimate: { inputTokens, outputTokens: 2_048, costMicroDollars: inputTokens * 2 },
        reserved: [
          [1, 4_096],
          [2, 120_000],
        ],
      },
      status: failure?.[0] ?? '200',
      errorCode: failure?.[1] ?? null,
      errorMessage: failure?.[2].replace('#', String(Math.floor(random() * 5_000))) ?? null,
      accountId,
      latencyMs,
      firstByteMs: Math.floor(latencyMs / 3),
      usage: failure
        ? null
        : {
            inputTokens,
            cachedInputTokens: Math.trunc(inputTokens * 0.8),
            outputTokens,
            reasoningTokens: Math.trunc(outputTokens * 0.3),
            isEstimated: false,
          },
      costMicroDollars: failure ? null : inputTokens + outputTokens * 10,
      priceVersion: '2026-11-01',
      pin: { digest: digest(`session ${position % 2_000}`).slice(0, 32), isFallback: false },
      attempts: [
        ...failedBefore(position, accountId, random, requestedAt),
        {
          decidedAt: position,
          asOf: requestedAt,
          v: 1,
          accountId,
          startedAt: requestedAt,
          endedAt: time,
          outcome: 'ok',
        },
      ],
    },
  ];
}

/** Attempts on other accounts. The first account fails most of the time that any does. */
function failedBefore(position: number, own: string, random: () => number, at: number): unknown[] {
  if (position % FAILED_OVER_EVERY !== 0) return [];
  const tried = new Set(random() < 0.7 ? [accounts[0]] : [skewed(accounts, random()), skewed(accounts, random())]);
  tried.delete(own);
  const failure = { startedAt: at, endedAt: at, outcome: 'provider_error', providerStatus: 500 };
  return [...tried].map((accountId) => ({ decidedAt: position, asOf: at, v: 1, accountId, ...failure }));
}

/** The last event of a stream. */
interface Head {
  readonly revision: number;
  readonly hash: string;
}

/** Stream, revision and metadata. The events continue each other, but their hashes are not those of their contents. */
function origin(
  position: number,
  time: number,
  { requestId, keyId }: Partial<CompletedRequest>,
  heads: Map<string, Head>,
): [stream: string, revision: number, metadata: EventMetadata] {
  const isRequest = requestId !== undefined;
  const day = new Date(time).toISOString().slice(0, 10).replaceAll('-', '');
  const stream = isRequest ? `requests-bench.b1_${day}` : `accountUsage-bench_${day.slice(0, 6)}`;
  const head = heads.get(stream) ?? { revision: -1, hash: NO_HASH };
  const next = { revision: head.revision + 1, hash: digest(`hash ${position}`) };
  heads.set(stream, next);
  return [
    stream,
    next.revision,
    {
      schemaVersion: 1,
      actor: keyId ? { kind: 'apiKey', keyId } : { kind: 'system', reason: 'usage polling' },
      correlationId: requestId ?? `sample-${position}`,
      causationId: null,
      node: 'bench',
      previousHash: head.hash,
      hash: next.hash,
    },
  ];
}

/** Random numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Creates a log file with the columns that read models need. Faster than appends, which compute hashes and sync. */
export function fillLog(path: string, count: number): void {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT, revision INTEGER, id TEXT, type TEXT, version INTEGER, time INTEGER,
      data TEXT, metadata TEXT) STRICT;
    CREATE UNIQUE INDEX byStream ON events (stream, revision)`);
  const heads = new Map<string, Head>();
  const insert = database.prepare(
    'INSERT INTO events (position, stream, revision, id, type, version, time, data, metadata) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)',
  );
  const end = Date.now();
  for (let first = 1; first <= count; first += 50_000) {
    database.exec('BEGIN');
    for (let position = first; position < first + 50_000 && position <= count; position++) {
      const time = instant(Math.floor(end - (count - position) * STEP_MS));
      const [type, data] = event(position, time);
      const [stream, revision, metadata] = origin(position, time, data as Partial<CompletedRequest>, heads);
      insert.run(
        position,
        stream,
        revision,
        `event-${position}`,
        type,
        time,
        JSON.stringify(data),
        JSON.stringify(metadata),
      );
    }
    database.exec('COMMIT');
  }
  database.close();
}
