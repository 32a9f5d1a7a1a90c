import { expect, test } from 'vitest';
import { archivableLog } from '../../test/support/archives/archivableLog.ts';
import { position } from '../domain/core/brands.ts';
import { createReader } from '../eventLog/sqlite/reader.ts';
import { MomentArchived } from '../state/past/past.ts';
import { readSealedFold } from '../state/snapshots/sealedFold.ts';
import { decisionsIn } from './decisionsIn.ts';
import { explainFromLog } from './explain/explainFromLog.ts';
import { OwnCoolDowns } from './ownCoolDowns.ts';
import type { RecordedDecision } from './recordedDecision.ts';
import { replayLog } from './replayLog.ts';

const HOUR_MS = 3_600_000;

test('repeats the decisions behind archived days as before, and counts those that were taken within them', async () => {
  const { logPath: location, archive, appendRequest, host } = await archivableLog(90);
  await appendRequest(host.now());
  const before = await replayLog({ location });
  expect(before.archived).toBe(0);
  await archive(new Date(host.now() - 60 * HOUR_MS).toISOString().slice(0, 10));
  const sealedAt = readSealedFold(location)?.segment.header.upTo ?? 0;
  expect(sealedAt).toBeGreaterThan(0);
  const left = decisionsBehind(location, sealedAt);
  const isTakenBehind = ({ decidedAt }: Pick<RecordedDecision, 'decidedAt'>) => decidedAt >= sealedAt;

  const after = await replayLog({ location });
  expect(after.archived).toBe(left.filter((decision) => !isTakenBehind(decision)).length);
  const expected = before.differences.filter((found) => isTakenBehind(found) && found.position > sealedAt);
  expect(new Set(after.differences)).toEqual(new Set(expected));

  for (const { requestId, decidedAt } of left.filter(({ decision }) => decision === 'admission')) {
    const explained = explainFromLog({ location }, requestId).catch((error: Error) => error);
    if (decidedAt < sealedAt) expect(await explained).toBeInstanceOf(MomentArchived);
  }
});

/** The decisions that the events behind a position recorded. */
function decisionsBehind(location: string, after: number): RecordedDecision[] {
  const reader = createReader(location);
  try {
    const { events } = reader.page(position(after), reader.head());
    return events.flatMap((event) => decisionsIn(event, new OwnCoolDowns()));
  } finally {
    reader.close();
  }
}
