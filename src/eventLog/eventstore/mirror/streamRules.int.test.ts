import { expect, test, vi } from 'vitest';
import { committed } from '../../../../test/contract/eventLog/outcomes.ts';
import { anEvent } from '../../../../test/contract/events.ts';
import { collectFaults } from '../../../../test/support/collectFaults.ts';
import { aStage } from '../../../../test/support/eventstore/stage.ts';
import { waitOptions } from '../../../../test/support/waitOptions.ts';
import { NO_STREAM } from '../../eventLog.ts';
import type { LeaseEntry } from '../../leaseStreams.ts';

const ACCOUNT = 'account-1';
const KEY = 'apiKey-00000000-0000-4000-8000-000000000001';

async function aNode() {
  const stage = await aStage();
  const lines: string[] = [];
  const open = async () => {
    const faults = collectFaults(lines);
    const store = await stage.open({ faults });
    const found = () => faults.current.map(({ code, subject }) => `${code} ${subject}`).toSorted();
    return { ...store, found };
  };
  return { ...stage, lines, open };
}

test('names streams that were deleted or that lose events, at once and after a restart, until they are reset', async () => {
  const { database, lines, open } = await aNode();
  const first = await open();
  for (const stream of [
    ACCOUNT,
    KEY,
    'firewall-main',
    'settings-main',
    'requests-n1.b1_20260101',
    'vault-a_1',
    'lease-polling',
  ]) {
    if (!/^(vault|lease)-/.test(stream)) await committed(first.log.append(stream, NO_STREAM, [anEvent(), anEvent()]));
  }
  database.softDelete(ACCOUNT, 'any');
  database.setMetadata(KEY, { $maxCount: 1, $maxAge: 60 });
  database.setMetadata('firewall-main', { $tb: 1 });
  database.tombstone('requests-n1.b1_20260101', 'any');
  // svc does this itself.
  database.setMetadata('lease-polling', { $maxCount: 20 });
  database.setMetadata('checkpoint-notes', { $maxCount: 100_000 });
  database.tombstone('lease-node-gone', 'any');
  database.setMetadata('lease-alerts', { $maxCount: 20, $maxAge: 60 });
  database.tombstone('lease-checkpoints', 'any');
  database.tombstone('vault-a_1', 'any');
  database.setMetadata('settings-main', {});
  const expected = [
    `stream_expires ${KEY}`,
    'stream_expires lease-alerts',
    'stream_tombstoned lease-checkpoints',
    'stream_tombstoned requests-n1.b1_20260101',
    `stream_truncated ${ACCOUNT}`,
    'stream_truncated firewall-main',
  ];
  await vi.waitUntil(() => first.found().length === expected.length, waitOptions);
  expect(first.found()).toEqual(expected);
  expect(lines.toSorted()).toEqual([
    expect.stringMatching(/^The stream account-1 was deleted in EventStoreDB \(\$tb\): .* Remove \$maxCount, /),
    expect.stringMatching(/^The stream apiKey-\S+ loses events .* \(\$maxCount 1, \$maxAge 60 s\): .*svc export/),
    expect.stringMatching(/^The stream firewall-main was truncated before revision 1 in EventStoreDB/),
    expect.stringMatching(/^The stream lease-alerts loses its entries .* \(\$maxAge 60 s\): .* Remove \$maxAge from /),
    expect.stringMatching(/^The stream lease-checkpoints was deleted for good \(tombstoned\) .* no other node/),
    expect.stringMatching(/^The stream requests-n1\.b1_20260101 was deleted for good \(tombstoned\)/),
  ]);
  await first.close();
  database.setMetadata(KEY, {});
  const second = await open();
  await vi.waitUntil(() => second.found().length === expected.length - 1, waitOptions);
  database.setMetadata(ACCOUNT, {});
  database.setMetadata('lease-alerts', { $maxCount: 20 });
  database.setMetadata('firewall-main', { $maxAge: 9 });
  await vi.waitUntil(
    () => second.found().length === 3 && second.found().includes('stream_expires firewall-main'),
    waitOptions,
  );
  expect(second.found()).toEqual([
    'stream_expires firewall-main',
    'stream_tombstoned lease-checkpoints',
    'stream_tombstoned requests-n1.b1_20260101',
  ]);
});

test('names a lease whose entries are all hidden, until one can be read again', async () => {
  const { database, lines, open } = await aNode();
  const store = await open();
  const entry = (number: number) =>
    ({ id: `00000000-0000-4000-8000-00000000000${number}`, type: 'LeaseRenewed' }) as LeaseEntry;
  const renew = async (expected: number) =>
    expect(await store.leases.append('usage', expected, entry(expected + 1))).toMatchObject({ kind: 'committed' });
  for (const expected of [-1, 0, 1]) await renew(expected);
  database.setMetadata('lease-usage', { $tb: 2, $maxCount: 20 });
  await renew(2);
  // Nothing is known of it: it has no holder.
  database.setMetadata('lease-polling', { $tb: 9 });
  await vi.waitUntil(() => store.found().length > 0, waitOptions);
  expect(store.found()).toEqual(['stream_truncated lease-polling']);
  database.setMetadata('lease-usage', { $tb: 5 });
  await vi.waitUntil(() => store.found().length > 1, waitOptions);
  expect(lines.at(-1)).toMatch(
    /^The stream lease-usage hides all its entries in EventStoreDB by its metadata \(\$tb 5\): .* Remove \$tb from/,
  );
  await renew(3);
  await store.close();
  const next = await open();
  await vi.waitUntil(() => next.found().length > 1, waitOptions);
  const append = () => next.leases.append('usage', 4, entry(5));
  expect(await append()).toMatchObject({ kind: 'committed' });
  await vi.waitUntil(() => next.found().length === 1, waitOptions);
  // A deleted stream begins again with the next entry: the server sets $tb then.
  const before = lines.length;
  database.softDelete('lease-usage', 'any');
  expect(await next.leases.append('usage', NO_STREAM, entry(6))).toMatchObject({ kind: 'committed' });
  await committed(next.log.append('firewall-main', NO_STREAM, [anEvent()]));
  await vi.waitUntil(async () => (await next.log.head()) > 0, waitOptions);
  expect(lines.slice(before)).toEqual([]);
});
