import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { startProvider } from '../support/provider/provider.ts';
import { createRandom, type Random } from '../support/random.ts';
import { takeSnapshot } from '../support/takeSnapshot.ts';
import { checkAbandoned, checkCounters, checkObserved, checkRows, checkWholeRequestLog } from './support/checks.ts';
import { keysWithRules } from './support/keys.ts';
import { type Key, startLoad } from './support/load.ts';
import { managementApi } from './support/managementApi.ts';
import { plannedResponses } from './support/plans.ts';
import { serve } from './support/serve.ts';
import { VerifiedLog } from './support/verifiedLog.ts';

// After kill -9 at any instant, every response that reached its client completely is once in the log, once in the request log
// and once in its key's counters (docs/decisions/0002-promises.md#nothing-answered-is-missing).

const ROUNDS = Number(process.env.SVC_TEST_KILL_ROUNDS ?? 30);
const SEED = Number(process.env.SVC_TEST_KILL_SEED ?? Date.now() % 1_000_000);
const CLIENTS = 24;
const ACCOUNTS = 8;

/** When the kill comes: at random, right after the start of the load, in the read that brings the end of a response, or late. */
const INSTANTS = [
  'at random',
  'at the start',
  'at an end',
  'at random',
  'after 2 s',
  'at an end',
  'at the start',
] as const;
type Instant = (typeof INSTANTS)[number];

test('kill -9 under load loses no response that reached a client and counts none twice', {
  timeout: 60_000 + ROUNDS * 20_000,
}, async () => {
  print(`kill -9: ${ROUNDS} rounds (SVC_TEST_KILL_ROUNDS), seed ${SEED} (SVC_TEST_KILL_SEED)`);
  const stage = await openKillStage();
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

/** A service that is killed and restarted over one folder, between clients and a provider that keep running. */
async function openKillStage() {
  const folder = await tempDir('kill');
  const provider = await startProvider({ maxReceived: 100 });
  const log = new VerifiedLog(folder.path);
  const restarts: number[] = [];
  const sum = { sent: 0, hungUp: 0, received: 0, receivedErrors: 0, killedWhileStarting: 0 };
  let knownRows = 0;

  async function start() {
    const since = performance.now();
    const service = serve({ folder: folder.path, provider });
    const url = await service.listening();
    return { service, url, api: managementApi(url), tookMs: performance.now() - since };
  }

  let running = await start();
  const failedOnce = new Set<string>();
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = provider.addAccount();
    // One account fragments its responses.
    account.always(plannedResponses(failedOnce, index === 0 ? { crlf: true, splitEveryBytes: 611 } : undefined));
    await running.api.importAccount(account);
  }
  const keys: Key[] = [];
  for (const key of keysWithRules) keys.push(await running.api.call('POST', '/api/api-keys', key));
  await running.api.set({ api_key_auth_enabled: true });
  // Stop in order once, so that the following starts find Node's compile cache filled.
  running.service.signal('SIGTERM');
  await running.service.ended;
  running = await start();

  /** Sends load, kills the service and restarts it. @returns every broken promise, one line each */
  async function round(index: number, instant: Instant, random: Random): Promise<string[]> {
    const { observed, heldOpen } = await loadUntilKilled(index, instant, random);
    if (instant === 'after 2 s' || random.chance(0.1)) await killWhileStarting(random);
    // Every second start resumes from a snapshot of the log that the kill left.
    if (index % 2 === 1) takeSnapshot(folder.path);
    running = await start();
    restarts.push(running.tookMs);
    sum.received += observed.filter(({ ending }) => ending && ending !== 'error').length;
    sum.receivedErrors += observed.filter(({ ending }) => ending === 'error').length;
    log.readNew();
    return [
      ...log.problems,
      ...observed.flatMap((response) => checkObserved(log, response)),
      ...checkAbandoned(log, heldOpen),
      ...(await checkCounters(log, running.api)),
      ...(await checkNewRows()),
    ];
  }

  async function loadUntilKilled(index: number, instant: Instant, random: Random) {
    const lastEnding = Promise.withResolvers<void>();
    let endingsLeft = random.between(1, 120);
    let killed: Promise<unknown> | undefined;
    const kill = () => {
      load.stop();
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
      'at random': () => wait(random.between(15, 900)),
      'at the start': () => wait(random.between(0, 12)),
      'at an end': () => Promise.race([lastEnding.promise, wait(3_000)]),
      'after 2 s': () => announced(heldOpen).then(() => wait(random.between(0, 200))),
    }[instant]();
    await kill();
    const observed = await load.finished();
    sum.sent += load.sent;
    sum.hungUp += load.hungUp;
    return { observed, heldOpen };
  }

  /** Resolves when the log has announced the requests, which it does 2 s after they began. */
  const announced = (requestIds: readonly string[]) =>
    vi.waitUntil(
      () => {
        log.readNew();
        return requestIds.every((requestId) => log.admitted.has(requestId));
      },
      { timeout: 15_000, interval: 50 },
    );

  /** Kills the service again while it starts and settles the requests that the previous kill left open. */
  async function killWhileStarting(random: Random): Promise<void> {
    const service = serve({ folder: folder.path, provider });
    await Promise.race([service.ended, wait(random.between(50, Math.ceil(running.tookMs)))]);
    await service.kill();
    sum.killedWhileStarting += 1;
  }

  async function checkNewRows(): Promise<string[]> {
    const wanted = log.completed.size + log.refused.size;
    const { rows, total } = await running.api.requestLog(wanted - knownRows);
    knownRows = wanted;
    return total === wanted ? checkRows(log, rows) : [`the request log has ${total} rows for ${wanted} requests`];
  }

  return {
    round,
    wholeRequestLog: async () => checkWholeRequestLog(log, (await running.api.requestLog()).rows),

    /** Totals for the output. */
    totals(problems: readonly string[]) {
      const count = (kind: RegExp) => problems.filter((problem) => kind.test(problem)).length;
      const abandoned = [...log.completed.values()].filter(({ errorCode }) => errorCode === 'abandoned').length;
      return [
        `killed ${restarts.length} times under load and ${sum.killedWhileStarting} times while starting`,
        `requests: ${sum.sent} sent, ${sum.hungUp} cancelled by the client`,
        `received: ${sum.received} complete responses, ${sum.receivedErrors} errors`,
        `in the log: ${log.completed.size} completed, ${log.refused.size} refused, in ${log.length} events of ${log.streams} streams`,
        `open after 2 s: ${log.admitted.size} announced, ${abandoned} abandoned`,
        `lost ${count(/: lost: /)}, double ${count(/: double: /)}, problems in total ${problems.length}`,
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
  return `min ${sorted[0]} ms, median ${sorted[Math.floor(sorted.length / 2)]} ms, max ${sorted.at(-1)} ms`;
}

const print = (text: string) => void process.stdout.write(`${text}\n`);
