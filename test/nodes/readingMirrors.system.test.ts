import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { runExplain } from '../../src/app/commands/explainCommand.ts';
import { runReplay } from '../../src/app/commands/replayCommand.ts';
import { runBlame } from '../../src/app/past/blameCommand.ts';
import { runDiff } from '../../src/app/past/diffCommand.ts';
import { filesIn } from '../../src/app/past/pastFolder.support.ts';
import { runShow } from '../../src/app/past/showCommand.ts';
import { runStep } from '../../src/app/past/stepCommand.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type Cluster, openCluster } from './cluster.ts';

const soon = { timeout: 60_000, interval: 50 };
const LIMITS = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 }];

interface Asked {
  readonly requestId: string;
  readonly keyId: string;
  /** A position. */
  readonly at: string;
}

/** What the six commands that read print about a request and its key, from the copy of the log of a node. */
async function readingsOf({ url, key, folderOf }: Cluster, name: string, { requestId, keyId, at }: Asked) {
  const folder = await folderOf(name);
  const config = { SVC_DATA_DIR: folder, SVC_EVENTSTORE_URL: url, SVC_ENCRYPTION_KEY: key };
  const lines: string[] = [];
  const errors: string[] = [];
  const io = { print: (line: string) => void lines.push(line), printError: (line: string) => void errors.push(line) };
  const [subject, isJson] = [`apiKey-${keyId}`, true];
  const before = filesIn(folder).map((line) => line.split(' ')[0]);
  await runExplain({ requestId, isJson }, config, io);
  await runReplay({ since: undefined, until: undefined, output: 'json', whatIf: undefined }, config, io);
  await runShow({ subject, at, isJson }, config, io);
  await runDiff({ subject, from: '1', to: at, isJson }, config, io);
  await runBlame({ subject, at, isJson }, config, io);
  await runStep({ from: '1', to: at, subject, isJson }, config, io);
  expect(filesIn(folder).map((line) => line.split(' ')[0])).toEqual(before);
  return { lines, errors: errors.map((line) => line.replace(/[\d.]+ s$/, '')) };
}

test('all commands read the same from the copies of two nodes, also stopped, and from a broken one', {
  timeout: 120_000,
}, async () => {
  const cluster = await openCluster();
  const a = await cluster.inProcessNode('a');
  const b = await cluster.inProcessNode('b');
  const account = cluster.provider.addAccount();
  const usage = { inputTokens: 300, cachedTokens: 0, outputTokens: 300, reasoningTokens: 0 };
  account.always(textResponse({ usage }));
  await a.api.importAccount(account);
  const made = await a.api.call('POST', '/api/api-keys', { name: 'shared', limits: LIMITS });
  await a.api.set({ api_key_auth_enabled: true });
  const headers = { authorization: `Bearer ${made.key}` };
  await vi.waitUntil(async () => (await b.ask(headers)) === 200, soon);
  const statuses = [await a.ask(headers), await b.ask(headers)];
  expect(statuses).toContain(429);
  const requests = async () => (await b.api.call('GET', '/api/request-logs')).requests;
  await vi.waitUntil(async () => (await requests()).length > 2, soon);
  const position = async (node: typeof a) => (await node.api.call('GET', '/api/status')).events.position;
  await vi.waitFor(async () => expect(await position(b)).toBe(await position(a)), soon);
  const [{ request_id: requestId }] = await requests();
  const asked = { requestId, keyId: made.id, at: String(await position(a)) };

  const ofA = await readingsOf(cluster, 'a', asked);
  expect(await readingsOf(cluster, 'b', asked)).toEqual(ofA);
  const replayed = JSON.parse(ofA.lines[1] ?? '');
  expect([replayed.requests > 2, replayed.differences]).toEqual([true, []]);
  await a.stop();
  await b.stop();
  expect((await readingsOf(cluster, 'b', asked)).lines).toEqual(ofA.lines);

  // A copy that has lost an event: its start would be refused, or it would be copied again.
  const mirror = new DatabaseSync(`${await cluster.folderOf('b')}/mirror.sqlite`);
  mirror.exec("DELETE FROM events WHERE position = (SELECT min(position) FROM events WHERE type = 'NodeStarted')");
  mirror.close();
  const broken = await readingsOf(cluster, 'b', asked);
  expect(broken.errors).toContainEqual(expect.stringContaining('Events are missing'));
  expect(broken.lines[0]).toBe(ofA.lines[0]);
});
