import { expect, test } from 'vitest';
import { archivableLog, rowsIn } from '../../test/support/archives/archivableLog.ts';
import { position } from '../domain/core/brands.ts';
import { createReader } from '../eventLog/sqlite/reader.ts';
import { MomentArchived } from '../state/past/past.ts';
import { readSealedFold, sealedFolds } from '../state/snapshots/sealedFold.ts';
import { decisionsIn } from './decisionsIn.ts';
import { explainFromLog } from './explain/explainFromLog.ts';
import { OwnCoolDowns } from './ownCoolDowns.ts';
import type { RecordedDecision } from './recordedDecision.ts';
import { repeatLate } from './repeatLate.ts';
import { repeatLog, replayLog } from './replayLog.ts';

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
  // Random decisions may say that they were taken behind the end of the log, which has grown since.
  const isReal = (found: Pick<RecordedDecision, 'decidedAt' | 'position'>) => found.decidedAt < found.position;
  const expected = before.differences.filter((found) => isTakenBehind(found) && found.position > sealedAt);
  expect(new Set(after.differences.filter(isReal))).toEqual(new Set(expected.filter(isReal)));

  const needsArchived = archivedBetween(location);
  const admissions = left.filter((each) => each.decision === 'admission' && !isTakenBehind(each));
  for (const { requestId, position: at, decidedAt } of admissions.filter((each) => needsArchived(each.decidedAt))) {
    // By position, because ids repeat in these histories; undefined for an event that is no end of a request.
    const explained = await explainFromLog({ location }, requestId, at).catch((error: Error) => error);
    if (explained !== undefined) expect(explained, `decided at ${decidedAt}`).toBeInstanceOf(MomentArchived);
  }
});

test('counts a decision whose event was archived after it was read, as when a service archives meanwhile', async () => {
  const { logPath: location, archive, host } = await archivableLog(90);
  const { late } = await repeatLog({ location, lag: 0 });
  expect(late.length).toBeGreaterThan(0);
  const before = await repeatLate({ location }, late, undefined);
  await archive(new Date(host.now() - 60 * HOUR_MS).toISOString().slice(0, 10));
  const after = await repeatLate({ location }, late, undefined);
  expect([before.archived, after.archived > 0]).toEqual([0, true]);
});

/** @returns whether an event is archived that lies between the last known state, the end of a segment, and a position */
function archivedBetween(location: string): (upTo: number) => boolean {
  const kept = new Set(rowsIn(location).map((row) => row.position));
  const known = [0, ...[...sealedFolds(location)].map(({ state }) => state.position)];
  return (upTo) => {
    const from = Math.max(...known.filter((end) => end <= upTo));
    return Array.from({ length: upTo - from }, (_, index) => from + index + 1).some((at) => !kept.has(at));
  };
}

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
