import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { archivableLog } from '../../../test/support/archives/archivableLog.ts';
import { completed } from '../../../test/support/management.ts';
import { NOW } from '../../../test/support/specification.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { instant, type Position } from '../../domain/core/brands.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import { type EventToAppend, NO_STREAM } from '../../eventLog/eventLog.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

/** On no day that is archived. */
const LATER = instant(NOW + 300 * 86_400_000);
/** Tables of this many requests take longer to make than new events wait until they are projected. */
const REQUESTS = 12_000;

test('reads on when events come while the tables are made again after a day was archived', async () => {
  const { log, path, logPath, archive } = await archivableLog(30);
  const failures: string[] = [];
  const models = createSqliteReadModels({ folder: path, logPath, onFailure: ({ message }) => failures.push(message) });
  const isMaking = () => existsSync(join(path, 'readmodels.sqlite.new'));
  let [head, revision] = [0 as Position, NO_STREAM];
  const append = async (count: number) => {
    const requests = Array.from({ length: count }, () => request());
    const outcome = await log.append('requests-n0.b1_20990101', revision, requests);
    if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
    ({ position: head, revision } = outcome);
    models.notify(head);
  };
  const counted = async () => (await models.requestLog.page({}, 1, 0, head)).total;
  try {
    await append(1);
    await models.progress.reached(head);
    for (let written = 1; written < REQUESTS; written += 1_000) await append(1_000);
    await vi.waitUntil(async () => (await models.progress.reached(head)) === head, waitOptions);

    await archive();
    await vi.waitUntil(isMaking, { ...waitOptions, interval: 1 });
    await append(1);
    await vi.waitUntil(() => !isMaking(), { ...waitOptions, interval: 1 });
    const count = await counted();
    expect(count).toBeGreaterThan(REQUESTS);
    await append(1);
    await vi.waitFor(async () => expect(await counted()).toBe(count + 1), waitOptions);
    expect(failures).toEqual([]);
  } finally {
    await models.close();
  }
});

function request(): EventToAppend {
  const requestId = `req_${randomUUID()}`;
  const { type, data } = completed({ requestId, requestedAt: LATER });
  return { id: newEventId(), type, data, time: LATER, actor: { kind: 'anonymous' }, correlationId: requestId };
}
