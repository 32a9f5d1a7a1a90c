import { expect, test } from 'vitest';
import { archivableLog } from '../../test/support/archives/archivableLog.ts';
import { readSealedFold } from '../state/snapshots/sealedFold.ts';
import { explainFromLog } from './explain/explainFromLog.ts';
import { StateArchived } from './logFiles.ts';
import { replayLog } from './replayLog.ts';

test('repeats the decisions behind archived days as before, and counts those that were taken within them', async () => {
  const { logPath: location, log, archive, appendRequest, host } = await archivableLog(90);
  const before = await replayLog({ location });
  expect(before.archived).toBe(0);
  await archive(new Date(host.now() - 60 * 3_600_000).toISOString().slice(0, 10));
  // Its decisions were taken long before, from a state that is archived.
  await appendRequest(host.now());
  const sealedAt = readSealedFold(location)?.segment.header.upTo ?? 0;
  expect(sealedAt).toBeGreaterThan(0);
  const after = await replayLog({ location });
  expect(after.archived).toBeGreaterThan(0);
  const isBehind = ({ decidedAt }: { readonly decidedAt: number }) => decidedAt >= sealedAt;
  expect(after.differences.filter(isBehind)).toEqual(expect.arrayContaining(before.differences.filter(isBehind)));
  for (const { decidedAt } of after.differences) expect(decidedAt).toBeGreaterThanOrEqual(sealedAt);
  for await (const { type, data, position } of log.readAll(sealedAt as never)) {
    if (type !== 'RequestCompleted') continue;
    const { requestId, attempts, admission, refusal } = data as never as {
      requestId: string;
      attempts: { decidedAt: number }[];
      admission?: { decidedAt: number };
      refusal?: { decidedAt: number };
    };
    const first = admission?.decidedAt ?? attempts[0]?.decidedAt ?? refusal?.decidedAt ?? position - 1;
    const explained = explainFromLog({ location }, requestId);
    if (first < sealedAt) await expect(explained).rejects.toThrow(StateArchived);
    else expect((await explained)?.request_id).toBe(requestId);
  }
});
