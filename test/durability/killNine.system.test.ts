import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { startProvider } from '../support/provider/provider.ts';
import { takeSnapshot } from '../support/takeSnapshot.ts';
import { apiOf } from './support/api.ts';
import { checkAbandoned, checkCounters, checkHeard, checkRows, checkWholeRequestLog } from './support/checks.ts';
import { keysWithRules } from './support/keys.ts';
import { type Key, startLoad } from './support/load.ts';
import { LogBook } from './support/logBook.ts';
import { asPlanned } from './support/plans.ts';
import { createRandom, type Random } from './support/random.ts';
import { serve } from './support/serve.ts';

// After kill -9 at any instant, every response whose end reached its client is in the log once, in the request log once,
// and in its key's counters once (docs/decisions/0002-promises.md#nothing-answered-is-missing).

const ROUNDS = Number(process.env.SVC_KILL_ROUNDS ?? 30);
const SEED = Number(process.env.SVC_KILL_SEED ?? Date.now() % 1_000_000);
const CLIENTS = 24;
const ACCOUNTS = 8;

/** When a kill comes: by chance, before there was time for much, in the read that brings an end, or late. */
const INSTANTS = ['by chance', 'at once', 'at an end', 'by chance', 'after 2 s', 'at an end', 'at once'] as const;
type Instant = (typeof INSTANTS)[number];

test('kill -9 at random instants under load loses no answer that reached a client and counts none twice', {
  timeout: 60_000 + ROUNDS * 20_000,
}, async () => {
  print(`kill -9: ${ROUNDS} rounds (SVC_KILL_ROUNDS), seed ${SEED} (SVC_KILL_SEED)`);
  const stage = await setTheStage();
  onTestFinished(stage.end);
  const random = createRandom(SEED);
  const problems: string[] = [];
  for (let round = 0; round < ROUNDS && problems.length === 0; round += 1) {
    const instant = INSTANTS[round % INSTANTS.length] as Instant;
    for (const problem of await stage.round(round, instant, random.branch(round))) {
      problems.push(`round ${round}, killed ${instant}: ${problem}`);
    }
  }
  problems.push(...(await stage.wholeRequestLog()));
  print(stage.totals(problems));
  expect(problems, `seed ${SEED}`).toEqual([]);
});

/** The service over one folder, which is killed and started again, between clients and a provider that live on. */
async function setTheStage() {
  const folder = await tempDir('kill');
  const provider = await startProvider({ maxReceived: 100 });
  const book = new LogBook(folder.path);
  const restarts: number[] = [];
  const sum = { sent: 0, hungUp: 0, seen: 0, seenErrors: 0, killedWhileStarting: 0 };
  let knownRows = 0;

  async function start() {
    const since = performance.now();
    const service = serve({ folder: folder.path, provider });
    const url = await service.listening();
    return { service, url, api: apiOf(url), tookMs: performance.now() - since };
  }

  let running = await start();
  const failedOnce = new Set<string>();
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = provider.addAccount();
    // One of them lays its bytes on the wire in odd pieces.
    account.always(asPlanned(failedOnce, index === 0 ? { crlf: true, splitEveryBytes: 611 } : undefined));
    await running.api.importAccount(account);
  }
  const keys: Key[] = [];
  for (const key of keysWithRules) keys.push(await running.api.call('POST', '/api/api-keys', key));
  await running.api.set({ api_key_auth_enabled: true });
  // One end in order, so that the next starts find compiled what this one had to compile.
  running.service.signal('SIGTERM');
  await running.service.ended;
  running = await start();

  /** Load, kill, start again. @returns everything that is not as promised */
  async function round(index: number, instant: Instant, random: Random): Promise<string[]> {
    const { heard, heldOpen } = await loadUntilKilled(index, instant, random);
    if (instant === 'after 2 s' || random.chance(0.1)) await killWhileStarting(random);
    // Every second start goes on from a snapshot of what the kill left.
    if (index % 2 === 1) takeSnapshot(folder.path);
    running = await start();
    restarts.push(running.tookMs);
    sum.seen += heard.filter(({ ending }) => ending && ending !== 'error').length;
    sum.seenErrors += heard.filter(({ ending }) => ending === 'error').length;
    book.readOn();
    return [
      ...book.problems,
      ...heard.flatMap((answer) => checkHeard(book, answer)),
      ...checkAbandoned(book, heldOpen),
      ...(await checkCounters(book, running.api)),
      ...(await checkNewRows()),
    ];
  }

  async function loadUntilKilled(index: number, instant: Instant, random: Random) {
    const lastEnding = Promise.withResolvers<void>();
    let endingsLeft = random.between(1, 120);
    let killed: Promise<unknown> | undefined;
    const kill = () => {
      load.over();
      killed ??= running.service.kill();
      return killed;
    };
    const load = startLoad({
      url: running.url,
      random,
      clients: CLIENTS,
      name: String(index),
      keys,
      onEnding() {
        endingsLeft -= 1;
        if (endingsLeft > 0 || instant !== 'at an end') return;
        void kill();
        lastEnding.resolve();
      },
    });
    const heldOpen = instant === 'after 2 s' ? await load.holdOpen(3) : [];
    await {
      'by chance': () => wait(random.between(15, 900)),
      'at once': () => wait(random.between(0, 12)),
      'at an end': () => Promise.race([lastEnding.promise, wait(3_000)]),
      'after 2 s': () => announced(heldOpen).then(() => wait(random.between(0, 200))),
    }[instant]();
    await kill();
    const heard = await load.gone();
    sum.sent += load.sent;
    sum.hungUp += load.hungUp;
    return { heard, heldOpen };
  }

  /** Requests that stay open are told to the log after 2 s. */
  const announced = (requestIds: readonly string[]) =>
    vi.waitUntil(
      () => {
        book.readOn();
        return requestIds.every((requestId) => book.admitted.has(requestId));
      },
      { timeout: 15_000, interval: 50 },
    );

  /** Once more before it has come up: in the midst of settling what the kill before left open. */
  async function killWhileStarting(random: Random): Promise<void> {
    const service = serve({ folder: folder.path, provider });
    await Promise.race([service.ended, wait(random.between(50, Math.ceil(running.tookMs)))]);
    await service.kill();
    sum.killedWhileStarting += 1;
  }

  async function checkNewRows(): Promise<string[]> {
    const wanted = book.completed.size + book.refused.size;
    const { rows, total } = await running.api.requestLog(wanted - knownRows);
    knownRows = wanted;
    return total === wanted ? checkRows(book, rows) : [`the request log has ${total} rows for ${wanted} requests`];
  }

  return {
    round,
    wholeRequestLog: async () => checkWholeRequestLog(book, (await running.api.requestLog()).rows),

    /** What there was, for who reads the output. */
    totals(problems: readonly string[]) {
      const count = (kind: RegExp) => problems.filter((problem) => kind.test(problem)).length;
      const abandoned = [...book.completed.values()].filter(({ errorCode }) => errorCode === 'abandoned').length;
      return [
        `killed ${restarts.length} times under load and ${sum.killedWhileStarting} times while it started`,
        `requests: ${sum.sent} sent, ${sum.hungUp} times the client hung up`,
        `seen: ${sum.seen} answers to their end, ${sum.seenErrors} errors`,
        `in the log: ${book.completed.size} completed, ${book.refused.size} refused, in ${book.length} events of ${book.streams} streams`,
        `open after 2 s: ${book.admitted.size} announced, ${abandoned} abandoned`,
        `lost ${count(/: lost: /)}, double ${count(/: double: /)}, not as promised in all ${problems.length}`,
        `restart: ${spread(restarts)}`,
      ].join('\n  ');
    },

    async end() {
      await running.service.kill();
      await provider.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b).map(Math.round);
  return `${sorted[0]} ms at least, ${sorted[Math.floor(sorted.length / 2)]} ms in the middle, ${sorted.at(-1)} ms at most`;
}

const print = (text: string) => void process.stdout.write(`${text}\n`);
