import { afterAll, describe, expect, test } from 'vitest';
import { randomRequests } from '../../../test/contract/readModels/randomRequests.ts';
import { completed } from '../../../test/support/management.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../../../test/support/mongo/mongoServer.ts';
import { mongoStage } from '../../../test/support/mongo/mongoStage.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { instant } from '../../domain/core/brands.ts';
import { CannotRebuild } from '../rebuild.ts';
import { compareMongoReadModels, rebuildMongoReadModels } from './rebuild.ts';

const server = await mongoServer();
afterAll(() => server?.stop());

/** Sixty requests with complete read models. */
async function filled() {
  const stage = await mongoStage(server as MongoServer);
  const { url, logPath, generations } = stage;
  const head = await stage.append(...randomRequests(60, seededRandom(9)));
  const node = stage.node();
  await stage.reached(head);
  const live = async () => generations.collections(await generations.active());
  const compare = () => compareMongoReadModels({ url, logPath });
  const rebuild = () => rebuildMongoReadModels({ url, logPath, graceMs: 0 });
  return { ...stage, [Symbol.asyncDispose]: stage[Symbol.asyncDispose], head, first: node, live, compare, rebuild };
}

/** FerretDB takes a second for hundreds of documents, more on a busy machine. */
const SLOW = { timeout: 240_000 };

describe.skipIf(!server)(server ? `${server.product} ${server.version}` : NO_MONGODB_FOUND, SLOW, () => {
  test('a comparison finds no difference in intact read models, and leaves no collections', async () => {
    await using stage = await filled();
    expect(await stage.compare()).toEqual({ position: stage.head, rows: expect.any(Number), differences: [] });
    expect(await stage.generations.all()).toEqual([1]);
  });

  test('a rebuild over an archived log keeps the sums of archived days, and compares equal', async () => {
    await using stage = await filled();
    await stage.reached(stage.head);
    const before = await stage.first.requestTotals.since(instant(0), stage.head);
    const end = await stage.append(
      ...randomRequests(20, seededRandom(4)).map((event) => ({ ...event, stream: 'requests-n.b_20260110' })),
    );
    await stage.reached(end);
    const all = await stage.first.requestTotals.since(instant(0), end);
    expect(all.requests).toBe(before.requests + 20);
    await stage.first.close();
    const { head, files } = await stage.archive.archive('2026-01-10');
    expect(files).toHaveLength(1);
    // The live ones have the rows still.
    expect(await stage.compare()).toMatchObject({ isOtherVersion: true });
    expect(await stage.rebuild()).toBe(head);
    expect(await stage.compare()).toEqual({ position: head, rows: expect.any(Number), differences: [] });
    const node = stage.node({ isIdle: true });
    expect(await node.requestTotals.since(instant(0), head)).toEqual(all);
    expect((await node.requestLog.page({}, 1, 0, head)).archived).toMatchObject([{ day: '2026-01-10' }]);
  });

  test('a comparison finds changed, missing and additional documents', async () => {
    await using stage = await filled();
    await stage.first.close();
    const { requests, requestsByKind, history } = await stage.live();
    const [changed, deleted] = await requests.find({ latencyMs: 1_200 }).sort({ _id: 1 }).limit(2).toArray();
    await requests.updateOne({ _id: changed?._id as number }, { $set: { latencyMs: 1 } });
    await requests.deleteOne({ _id: deleted?._id as number });
    await history.insertOne({ _id: 0 } as never);
    const month = await requestsByKind.findOne({ period: 'month' });
    await requestsByKind.updateOne({ _id: month?._id as string }, { $set: { requests: 77 } });
    const { differences } = await stage.compare();
    expect(differences).toHaveLength(4);
    for (const expected of [
      `requests ${changed?._id}: latencyMs is 1 in the live read models, 1200 rebuilt`,
      `requests ${deleted?._id}: is missing from the live read models`,
      'history 0: is only in the live read models',
      `requestsByKind ${month?._id}: requests is 77 in the live read models, ${month?.requests} rebuilt`,
    ]) {
      expect(differences).toContain(expected);
    }
  });

  test('compares read models that advance meanwhile', async () => {
    await using stage = await filled();
    let head = stage.head;
    let isOver = false;
    const traffic = (async () => {
      while (!isOver) head = await stage.append(completed(), completed({ status: 'error', errorCode: 'e' }));
    })();
    expect((await stage.compare()).differences).toEqual([]);
    isOver = true;
    await traffic;
    expect(head).toBeGreaterThan(stage.head);
  });

  test('running nodes switch to rebuilt read models', async () => {
    await using stage = await filled();
    const reader = stage.node({ isIdle: true });
    const { requestsByKind } = await stage.live();
    await requestsByKind.updateMany({}, { $set: { requests: 77 } });
    expect((await stage.compare()).differences).not.toEqual([]);
    expect(await stage.rebuild()).toBe(stage.head);
    expect(await stage.generations.active()).toBe(2);
    expect(await stage.generations.all()).toEqual([2]);
    const head = await stage.append(completed({ requestId: 'afterwards' }));
    await stage.reached(head);
    for (const { requestLog } of [stage.first, reader]) {
      const { rows, total } = await requestLog.page({ search: 'afterwards' }, 1, 0, head);
      expect([rows[0]?.requestId, total]).toEqual(['afterwards', 1]);
      expect((await requestLog.page({}, 1, 0, head)).total).toBe(61);
    }
    expect((await stage.compare()).differences).toEqual([]);
  });

  test('a rebuild removes the leftovers of a cancelled one', async () => {
    await using stage = await filled();
    await stage.generations.claim(2, { by: 'a rebuild that died', epoch: 1 });
    await stage.generations.claim(7, { by: 'another', epoch: 1 });
    await stage.generations.collections(2).requests.insertOne({ _id: 1, stale: true } as never);
    await stage.rebuild();
    expect(await stage.generations.all()).toEqual([2]);
    expect((await stage.compare()).differences).toEqual([]);
  });

  test('rejects a comparison when there are no read models', async () => {
    await using stage = await mongoStage(server as MongoServer);
    await stage.append(completed());
    const { url, logPath } = stage;
    await expect(compareMongoReadModels({ url, logPath })).rejects.toThrow(CannotRebuild);
    expect(await rebuildMongoReadModels({ url, logPath, graceMs: 0 })).toBe(1);
    expect(await compareMongoReadModels({ url, logPath })).toMatchObject({ position: 1, differences: [] });
  });

  test('a comparison recognises read models of another log', async () => {
    await using stage = await filled();
    await using other = await mongoStage(server as MongoServer, stage.url);
    await stage.first.close();
    await other.append(...randomRequests(70, seededRandom(10)));
    const { differences } = await compareMongoReadModels({ url: stage.url, logPath: other.logPath });
    expect(differences).toEqual([expect.stringContaining('which is not the event of the log there')]);
  });
});
