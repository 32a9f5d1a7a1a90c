import { renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { committed } from '../../../../test/contract/eventLog/outcomes.ts';
import { anEvent } from '../../../../test/contract/events.ts';
import { aStage } from '../../../../test/support/eventstore/stage.ts';
import { waitOptions } from '../../../../test/support/waitOptions.ts';
import { NO_STREAM } from '../../eventLog.ts';

test.each([
  ['it was deleted', 'restart svc', (path: string) => rmSync(path)],
  ['its -wal was deleted', 'restart svc', (path: string) => rmSync(`${path}-wal`)],
  ['it was cut', 'delete', (path: string) => truncateSync(path, statSync(path).size / 2)],
  ['its -wal was cut', 'delete', (path: string) => truncateSync(`${path}-wal`)],
])('names a mirror when %s while svc runs, and writes nothing to it', async (_, remedy, harm) => {
  const { open, mirrorPath: path, lines, faults } = await aStage();
  const { log } = await open();
  await committed(log.append('firewall-main', NO_STREAM, [anEvent()]));
  harm(path);
  await vi.waitUntil(() => faults.has('mirror_not_written', path), waitOptions);
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^${path}, .* cannot be written: it or its -wal was .*${remedy}`)),
  ]);
});

test('writes a mirror again that was moved back', async () => {
  const { open, mirrorPath: path, lines, faults } = await aStage();
  const { log } = await open();
  await committed(log.append('firewall-main', NO_STREAM, [anEvent()]));
  renameSync(path, `${path}.moved`);
  await vi.waitUntil(() => faults.has('mirror_not_written', path), waitOptions);
  renameSync(`${path}.moved`, path);
  await vi.waitUntil(() => !faults.has('mirror_not_written', path), waitOptions);
  await committed(log.append('firewall-main', 0, [anEvent()]));
  expect(lines.at(-1)).toBe(`${path} is written again.`);
});
