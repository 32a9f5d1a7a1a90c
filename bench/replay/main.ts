import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AccountId } from '../../src/domain/core/brands.ts';
import { replayLog } from '../../src/replay/replayLog.ts';
import { simulateLog } from '../../src/replay/whatIf/simulateLog.ts';
import type { WhatIf } from '../../src/replay/whatIf/whatIf.ts';
import { firstAccount } from './decidedRequests.ts';
import { fillDecided } from './fillDecided.ts';

// `npm run bench:replay -- [--requests 1000000] [--folder <kept>]`: fills a log with requests that were decided by the functions
// of the service, then repeats their decisions, and plays them again under a what-if. The goal is 1,000,000 requests within 60 s.

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '1000000' }, folder: { type: 'string' } },
});
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'svc-bench-replay-')));
const location = join(folder, 'log.sqlite');
const print = (line: string) => process.stdout.write(`${line}\n`);

await mkdir(folder, { recursive: true });

try {
  if (!existsSync(location)) await fillDecided(location, Number(values.requests));
  print(`${((await stat(location)).size / 2 ** 20).toFixed(0)} MiB on disk`);
  await measure('replay', async () => {
    const { requests, choices, admissions, differences } = await replayLog({ location });
    return { requests, found: `${choices} choices, ${admissions} admissions, ${differences.length} differences` };
  });
  const window = { usedPercent: 0, windowMinutes: 300, credits: 1_500 };
  const plus = { id: 'plus-1' as AccountId, planType: 'pro', primary: window, secondary: window };
  await simulate('what if nothing', {});
  await simulate('what if, one account less and one more, round robin', {
    settings: { routingStrategy: 'round_robin' },
    withoutAccounts: [firstAccount()],
    plusAccounts: [plus],
  });
} finally {
  if (!values.folder) await rm(folder, { recursive: true });
}

async function simulate(label: string, whatIf: WhatIf): Promise<void> {
  await measure(label, async () => {
    const { replay, whatIf: report } = await simulateLog({ location, whatIf });
    return { requests: replay.requests, found: `${report.requests.different} end another way` };
  });
}

async function measure(label: string, work: () => Promise<{ requests: number; found: string }>): Promise<void> {
  const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
  const { requests, found } = await work();
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = (user + system) / 1e6;
  print(
    `${label}: ${requests} requests in ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU, ` +
      `${((cpu * 1e6) / requests).toFixed(1)} us each, ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB; ${found}`,
  );
}
