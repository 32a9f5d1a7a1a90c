import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { iso } from '../../src/domain/core/brands.ts';
import { startOnFolder } from '../throughput/startOnFolder.ts';
import { timeAt } from './fillHistory.ts';
import { keyOf } from './measureCommands.ts';

export interface GetsOptions {
  readonly folder: string;
  readonly head: number;
  readonly keyId: string;
  readonly requestId: string;
  /** @param pid the process whose CPU counts */
  readonly measure: (label: string, work: (round: number) => Promise<number>, pid: number) => Promise<void>;
}

const START = fileURLToPath(new URL('../../src/start.mjs', import.meta.url));
const POLL_MS = 2_000;

/** The GETs with a past that people wait for: those of states, of live limits, and of the request log. */
const pathsFor = ({ keyId, requestId }: GetsOptions): string[] => [
  '/api/accounts',
  '/api/api-keys',
  `/api/blame/apiKey-${keyId}`,
  '/api/clock',
  '/api/dashboard/overview',
  '/api/dashboard/trends',
  '/api/firewall/ips',
  '/api/history',
  '/api/models',
  '/api/owners',
  '/api/request-logs',
  '/api/request-logs?status=429',
  '/api/request-logs/options',
  `/api/requests/${requestId}/explain`,
  '/api/settings',
  '/api/teams',
  '/api/usage/breakdown?group_by=key',
  '/api/usage/history',
  '/api/usage/summary',
  '/api/usage/window',
];

/**
 * Times GETs with `?at=` at random moments, by position and by time in turn, of a service over a copy of the log: a start writes
 * events. The copy is kept beside the log, as its read models take minutes.
 */
export async function measureGets(options: GetsOptions): Promise<void> {
  const { folder, head, measure } = options;
  const copy = join(folder, 'service');
  const env = { SVC_ENCRYPTION_KEY: keyOf(folder) };
  if (!existsSync(copy)) {
    for (const name of ['log.sqlite', 'snapshots']) cpSync(join(folder, name), join(copy, name), { recursive: true });
    // The log was filled without a service: its accounts have no tokens.
    const accepted = spawnSync(process.execPath, [START, 'accept-loss', '--vault'], {
      env: { ...process.env, ...env, SVC_DATA_DIR: copy },
      encoding: 'utf8',
    });
    if (accepted.status !== 0) throw new Error(accepted.stderr);
  }
  const service = startOnFolder(copy, 'serve', [START, 'serve'], env);
  try {
    const [, base = ''] = await service.line(/listening on (http:\S+)/, 180_000);
    await untilIndexed(base);
    for (const path of pathsFor(options)) {
      const ask = async (round: number) => {
        const position = path.includes('explain') ? head : 100 + ((round * 7_919_993) % (head - 100));
        const at = round % 2 === 0 ? position : iso(timeAt(position));
        const response = await fetch(`${base}${path}${path.includes('?') ? '&' : '?'}at=${at}`);
        const text = await response.text();
        if (!response.ok) throw new Error(`${path} at ${at}: ${response.status} ${text}`);
        return text.length;
      };
      await measure(`GET ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '{id}')}`, ask, service.pid);
    }
  } finally {
    await service.stop(60_000);
  }
}

async function untilIndexed(base: string): Promise<void> {
  for (;;) {
    const { read_models } = (await (await fetch(`${base}/api/status`)).json()) as { read_models: { behind: number } };
    if (read_models.behind === 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Milliseconds of CPU of a process so far, to 10 ms; 0 where Linux does not tell it. */
export async function cpuMsOf(pid: number): Promise<number> {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return 0;
  const fields = (await readFile(path, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
