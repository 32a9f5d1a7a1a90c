import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { completedRequest, keyEvents } from '../../../bench/startup/completedRequests.ts';
import { AccountImported } from '../../../src/domain/account/events.ts';
import { NodeStopped } from '../../../src/domain/audit/events.ts';
import type { AccountId } from '../../../src/domain/core/brands.ts';
import { newEventId } from '../../../src/eventLog/eventId.ts';
import { type EventToAppend, NO_STREAM } from '../../../src/eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../../src/eventLog/sqlite/sqliteEventLog.ts';
import { leafEntryOf } from '../../../src/integrity/leaf/leafEntry.ts';
import { openTileStore } from '../../../src/integrity/tiles/sqliteTileStore.ts';
import { TreeWriter } from '../../../src/integrity/tiles/tileTree.ts';
import { createSqliteReadModels } from '../../../src/readModels/sqlite/sqliteReadModels.ts';
import { committed } from '../../contract/eventLog/outcomes.ts';
import { createRandom } from '../../support/random.ts';
import { importedAccount } from '../../support/specification.ts';
import { readRows } from './forgedFiles.ts';

/** A new folder that is removed when the test has finished. */
export async function aFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'svc-forged-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A copy of a data folder. */
export async function copyOf(folder: string): Promise<string> {
  const copy = await aFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** A data folder as svc leaves it: keys, accounts and requests of two nodes, with a mark, read models and the Merkle tree. */
export async function honestFolder(seed: number): Promise<string> {
  const random = createRandom(seed);
  const folder = await aFolder();
  const path = join(folder, 'log.sqlite');
  const log = await createSqliteEventLog({
    path,
    node: 'n1',
    mark: { path: join(folder, 'log.mark'), isPruned: false },
    onMarkFailure: () => undefined,
  });
  const revisions = new Map<string, number>();
  const append = async (stream: string, ...events: EventToAppend[]) => {
    const outcome = await committed(log.append(stream, revisions.get(stream) ?? NO_STREAM, events));
    revisions.set(stream, outcome.revision);
  };
  const keys = keyEvents();
  const requests = Array.from({ length: 110 }, (_, index) => completedRequest(index + 1));
  for (const key of keys) await append(`apiKey-${(key.data as { keyId: string }).keyId}`, key);
  const accounts = new Set(requests.map(({ data }) => (data as { accountId: AccountId }).accountId));
  for (const accountId of accounts)
    await append(`account-${accountId}`, accountEvent(accountId, requests[0] as EventToAppend));
  const lastRequests = requests.splice(-5);
  while (requests.length > 0) {
    const node = random.pick(['n1.b1', 'n2.b1']);
    await append(`requests-${node}_20260101`, ...requests.splice(0, random.between(1, 6)));
    const [other] = random.chance(0.2) ? keys.splice(0, 1) : [];
    if (other) await append(`apiKey-${(other.data as { keyId: string }).keyId}`, renamed(other, random.between(1, 99)));
  }
  await append('nodes-n2.b1_20260101', stopOf('n2', 'b1', lastRequests[0] as EventToAppend));
  await append('requests-n1.b1_20260101', ...lastRequests);
  const head = await log.head();
  await log.close();
  const readModels = createSqliteReadModels({ folder, logPath: path });
  await readModels.requestLog.page({}, 1, 0, head);
  await readModels.close();
  writeTree(folder);
  return folder;
}

/** Makes `tree.sqlite` of the log of a folder. */
export function writeTree(folder: string): void {
  const store = openTileStore(join(folder, 'tree.sqlite'));
  const writer = new TreeWriter(store);
  const entries = readRows(folder).slice(writer.size).map(leafEntryOf);
  // In steps, so that it has bundles of several growths.
  for (let from = 0; from < entries.length; from += 50) writer.append(entries.slice(from, from + 50));
  store.close();
}

const accountEvent = (accountId: AccountId, like: EventToAppend): EventToAppend => ({
  ...like,
  ...AccountImported(importedAccount({ accountId })),
  id: newEventId(),
  correlationId: newEventId(),
});

const stopOf = (node: string, boot: string, like: EventToAppend): EventToAppend => ({
  ...like,
  ...NodeStopped({ node, boot, reason: 'signal', detail: 'SIGTERM' }),
  id: newEventId(),
  correlationId: newEventId(),
  actor: { kind: 'system', reason: 'stop' },
});

const renamed = (key: EventToAppend, to: number): EventToAppend =>
  ({
    ...key,
    id: newEventId(),
    correlationId: newEventId(),
    type: 'ApiKeyRenamed',
    data: { keyId: (key.data as { keyId: string }).keyId, from: 'key', to: `key ${to}` },
  }) as EventToAppend;
