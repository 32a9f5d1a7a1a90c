import { readdirSync, statSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { type Stage, startManagement, temporaryFolder } from '../../../test/support/management.ts';
import { importAccount } from '../../management/resources/accountCalls.support.ts';
import { readConfig } from '../config/config.ts';
import type { CommandIo, PastConfig } from './withPast.ts';

/** A running service with an account, keys and other resources that changed, for commands that read its folder. */
export async function aChangedFolder(atEnd: (cleanup: () => void | Promise<void>) => void = onTestFinished) {
  const folder = temporaryFolder(atEnd);
  const stage = await startManagement({}, atEnd, folder);
  const config = readConfig({ SVC_DATA_DIR: folder });
  const { account_id: accountId } = await importAccount(stage);
  const key = (await stage.call('POST', '/api/api-keys', { body: { name: 'team \u001b[31mred', ...LIMITED } })).body;
  await stage.call('POST', '/api/api-keys', { body: { name: 'twin' } });
  await stage.call('POST', '/api/api-keys', { body: { name: 'twin' } });
  await stage.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' } });
  await stage.call('PUT', '/api/settings', { body: { ...SETTINGS, routing_strategy: 'round_robin' } });
  await stage.call('POST', `/api/accounts/${accountId}/pause`);
  await stage.call('PATCH', `/api/api-keys/${key.id}`, { body: { name: 'team blue', is_active: false } });
  const { body: hold } = await stage.call('POST', '/api/holds', { body: { reason: 'case 7' } });
  return { folder, stage, config, accountId: accountId as string, keyId: key.id as string, holdId: hold.id as string };
}

const LIMITED = { limits: [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 }] };
const SETTINGS = { sticky_threads_enabled: true, prefer_earlier_reset_accounts: false };

/** Runs a command. @returns what it printed */
export async function printed(
  run: (config: PastConfig, io: CommandIo) => Promise<void>,
  config: PastConfig,
): Promise<string[]> {
  const lines: string[] = [];
  await run(config, { print: (line) => lines.push(line), printError: () => undefined });
  return lines;
}

/** Runs a command with `--json`. @returns the only object that it prints */
export async function printedObject(
  run: (config: PastConfig, io: CommandIo) => Promise<void>,
  config: PastConfig,
  // biome-ignore lint/suspicious/noExplicitAny: whatever the command prints
): Promise<any> {
  const [line = '', ...more] = await printed(run, config);
  if (more.length > 0) throw new Error('more than one line');
  return JSON.parse(line);
}

/** Every file of a folder with its size and time of change. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => {
      const { size, mtimeMs } = statSync(`${folder}/${name}`);
      return `${name} ${size} ${mtimeMs}`;
    });

/** Position of the last event. */
export const headOf = ({ hot }: Stage): number => hot.state.position;
