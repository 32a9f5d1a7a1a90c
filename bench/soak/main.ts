import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkCounters } from '../../test/durability/support/checks.ts';
import { keysWithRules } from '../../test/durability/support/keys.ts';
import { managementApi } from '../../test/durability/support/managementApi.ts';
import { environmentFor } from '../../test/durability/support/serve.ts';
import { VerifiedLog } from '../../test/durability/support/verifiedLog.ts';
import { startProvider } from '../../test/support/provider/provider.ts';
import { createRandom } from '../../test/support/random.ts';
import { print } from '../throughput/figures.ts';
import { faultsOf, healthy } from './faults.ts';
import { SoakLoad } from './soakLoad.ts';
import { SoakNode } from './soakNode.ts';
import { reportOf, type Sample, sampleLine } from './soakReport.ts';

// `npm run soak -- [--minutes 60] [--rate 30] [--seed N]`: one service over EventStoreDB (the fake one) under load, with one fault after
// the other: accounts failing, store killed, frozen and cut, disk nearly full, clock stepped, restarts in order and by kill -9. Prints
// memory, descriptors and lag, then checks that each response which reached a client is in the log once, that counters are the sums of
// the log, and that svc verify finds nothing. Exit code 1 when something is not flat or not right.

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const minutes = Number(values.minutes);
const SAMPLE_MS = 5_000;
const LINE_EVERY = 3;
const MAX_RECOVERY_MS = 90_000;
const MAX_SETTLE_MS = 60_000;
/** Few enough that memory can be seen to be flat between them. */
const RESTARTS = 3;

const began = performance.now();
const endsAt = began + minutes * 60_000;
const random = createRandom(Number(values.seed));
const folder = mkdtempSync(join(tmpdir(), 'svc-soak-'));
const samples: Sample[] = [];
const recoveries = new Map<string, number[]>();
const findings: string[] = [];
let fault: string | undefined;

try {
  print(`Soak of ${minutes} minutes, ${values.rate} requests a second, seed ${values.seed}`);
  await soak();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function soak(): Promise<void> {
  const provider = await startProvider({ maxReceived: 100 });
  const accounts = Array.from({ length: 6 }, () => provider.addAccount());
  for (const account of accounts) account.always(healthy());
  await using node = await SoakNode.open({ folder, provider, minutes });
  await node.start();
  const api = managementApi(node.url);
  for (const account of accounts) await api.importAccount(account);
  const keys = await Promise.all(keysWithRules.slice(0, -1).map((body) => api.call('POST', '/api/api-keys', body)));
  await api.set({ api_key_auth_enabled: true });
  const load = new SoakLoad(node, keys, Number(values.rate), random.branch(1));
  const sampler = sampleUntil(endsAt, node, load);
  await faultsUntil(endsAt, node, accounts);
  await sampler;
  await load.stop();
  await untilCaughtUp(node);
  findings.push(...(await untilSettled(() => checkCounts(node, load))));
  print(`${load.served.length} responses reached clients with their end`);
  await node.stop();
  findings.push(...(await verify(node)));
  await provider.close();
  finish(load);
}

async function faultsUntil(end: number, node: SoakNode, accounts: Parameters<typeof faultsOf>[1]): Promise<void> {
  const all = faultsOf(node, accounts, random.branch(2));
  for (const { name, reason } of all) if (reason !== undefined) print(`without "${name}": ${reason}`);
  const faults = all.filter(({ reason }) => reason === undefined);
  const restarts = faults.filter(({ isRestart }) => isRestart);
  const others = faults.filter(({ isRestart }) => !isRestart);
  const restartEveryMs = (end - began) / (RESTARTS + 1);
  for (let turn = 0, restarted = 0; performance.now() < end - 20_000; turn += 1) {
    const isTime = performance.now() > began + (restarted + 1) * restartEveryMs && restarted < RESTARTS;
    const next = isTime ? restarts[restarted++ % restarts.length] : others[turn % others.length];
    if (!next) return;
    fault = next.name;
    await next.run();
    const over = performance.now();
    await untilCaughtUp(node);
    recoveries.set(next.name, [...(recoveries.get(next.name) ?? []), performance.now() - over]);
    fault = undefined;
    await wait(random.between(4_000, 12_000));
  }
}

/** Resolves when requests are served and no reader of the log is far behind. */
async function untilCaughtUp(node: SoakNode): Promise<void> {
  for (const since = performance.now(); ; await wait(250)) {
    const seen = await node.metrics();
    const isBack = seen?.isStoreConnected && Math.max(...Object.values(seen.lag)) < 200;
    if (isBack) return;
    if (performance.now() - since < MAX_RECOVERY_MS) continue;
    findings.push(`after "${fault}" it had not caught up in ${MAX_RECOVERY_MS / 1_000} s: ${JSON.stringify(seen)}`);
    return;
  }
}

async function sampleUntil(end: number, node: SoakNode, load: SoakLoad): Promise<void> {
  for (let count = 0; performance.now() < end; count += 1) {
    await wait(SAMPLE_MS);
    const { pid, bornAt } = node;
    const seen = await node.metrics();
    if (!seen || pid !== node.pid) continue;
    const sum = [...load.others.values()].reduce((total, each) => total + each, 0);
    const now = performance.now();
    const ages = { at: (now - began) / 1_000, age: (now - bornAt) / 1_000 };
    const sample = { ...seen, ...ages, pid, fault, served: load.served.length, others: sum };
    samples.push(sample);
    if (count % LINE_EVERY === 0) print(sampleLine(sample));
  }
}

/** The last requests reach the log some moments after their responses. */
async function untilSettled(check: () => Promise<string[]>): Promise<string[]> {
  for (const since = performance.now(); ; await wait(1_000)) {
    const found = await check();
    if (found.length === 0 || performance.now() - since > MAX_SETTLE_MS) return found;
  }
}

/** Compares what clients received with the log, and the log with the counters. */
async function checkCounts(node: SoakNode, { served }: SoakLoad): Promise<string[]> {
  const log = new VerifiedLog(node.data, 'mirror.sqlite');
  log.readNew();
  const missing = served.filter(({ requestId, usage, keyId }) => {
    const logged = log.completed.get(requestId);
    const isSame =
      logged?.usage?.inputTokens === usage?.input_tokens && logged?.usage?.outputTokens === usage?.output_tokens;
    return logged?.status !== '200' || logged.keyId !== keyId || !isSame;
  });
  return [
    ...log.problems,
    ...missing.map(({ requestId }) => `${requestId} reached its client and is missing or another one in the log`),
    ...(await checkCounters(log, managementApi(node.url))),
  ];
}

async function verify(node: SoakNode): Promise<string[]> {
  const env = { PATH: process.env.PATH ?? '', ...environmentFor({ folder: node.data, env: node.env }) };
  const child = spawn(process.execPath, ['src/start.mjs', 'verify'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  print(`svc verify: ${output.trim().split('\n').at(-1)}`);
  return code === 0 ? [] : [`svc verify exited with ${code}: ${output}`];
}

function finish({ others }: SoakLoad): void {
  const report = reportOf(samples);
  for (const line of report.lines) print(line);
  for (const [name, times] of recoveries) {
    const most = (Math.max(...times) / 1_000).toFixed(1);
    print(`${name}: ${times.length} times, caught up after at most ${most} s`);
  }
  print(`not served: ${[...others].map(([what, count]) => `${count} ${what}`).join(', ') || 'none'}`);
  findings.push(...report.findings);
  for (const finding of findings.slice(0, 50)) print(`FINDING: ${finding}`);
  print(findings.length === 0 ? 'Flat, and nothing lost.' : `${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
