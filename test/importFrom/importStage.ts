import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/app/config/config.ts';
import { importFromCodexLb } from '../../src/app/importFrom/importFrom.ts';
import type { ReportItem } from '../../src/app/importFrom/importReport.ts';
import type { StoredEvent } from '../../src/eventLog/eventLog.ts';
import { recordedEvents } from '../support/recordedEvents.ts';

/** Starting processes takes long on a busy machine. */
export const SLOW = { timeout: 120_000 };

/** Windows that last now, whenever this runs. */
export const IN_WINDOW = "UPDATE api_key_limits SET reset_at = strftime('%Y-%m-%d %H:%M:%f', 'now', '+6 hours');";

/** The path of a data folder that does not exist yet. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

const options = { isDryRun: false, keepsActive: false, withRequests: false };
export const importInto = (
  folder: string,
  source: { database: string; keyFile: string },
  changes: Partial<typeof options> = {},
  env: Record<string, string> = {},
) =>
  importFromCodexLb(
    { ...options, ...source, ...changes },
    readConfig({ SVC_DATA_DIR: folder, ...env }),
    () => undefined,
  );

/** Runs the command line in a process of its own. */
export function svc(folder: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const cli = fileURLToPath(new URL('../../src/start.mjs', import.meta.url));
  const child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, SVC_DATA_DIR: folder } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

export const readEvents = async (folder: string) => (await recordedEvents(folder)) as unknown as StoredEvent[];

export const outcomes = (items: readonly ReportItem[], kind: ReportItem['kind']) =>
  items.filter((item) => item.kind === kind).map(({ name, outcome }) => `${name}: ${outcome}`);
