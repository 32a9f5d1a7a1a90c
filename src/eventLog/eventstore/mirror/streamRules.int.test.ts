import { expect, test, vi } from 'vitest';
import { committed } from '../../../../test/contract/eventLog/outcomes.ts';
import { anEvent } from '../../../../test/contract/events.ts';
import { collectFaults } from '../../../../test/support/collectFaults.ts';
import { aStage } from '../../../../test/support/eventstore/stage.ts';
import { waitOptions } from '../../../../test/support/waitOptions.ts';
import { NO_STREAM } from '../../eventLog.ts';

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
