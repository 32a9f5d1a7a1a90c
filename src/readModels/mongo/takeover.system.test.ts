import { afterAll, describe, expect, test, vi } from 'vitest';
import { randomRequests } from '../../../test/contract/readModels/randomRequests.ts';
import { activeFence } from '../../../test/support/mongo/activeFence.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../../../test/support/mongo/mongoServer.ts';
import { mongoStage } from '../../../test/support/mongo/mongoStage.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import { permanentLeaseTerm } from '../../state/leases/leaseTerm.ts';
import { type LogReader, openLogReader } from './logReader.ts';
import { compareMongoReadModels, rebuildMongoReadModels } from './rebuild.ts';

const server = await mongoServer();
afterAll(() => server?.stop());

const soon = { timeout: 20_000, interval: 10 };

/** A copy of a log that ends at this position. */
function copyOf(source: LogReader, upTo: { last: number }): LogReader {
  return {
    ...source,
    read: (after, limit) => source.read(after, limit).filter((event) => event.position <= upTo.last),
    head: () => position(Math.min(upTo.last, source.head())),
  };
}

describe.skipIf(!server)(server ? `${server.product} ${server.version}` : NO_MONGODB_FOUND, () => {
  test('a projector whose copy of the log is behind waits, and rebuilds nothing', async () => {
    await using stage = await mongoStage(server as MongoServer);
    const { generations } = stage;
    const first = stage.node();
    await stage.reached(await stage.append(...randomRequests(30, seededRandom(1))));
    await first.close();

    const upTo = { last: 12 };
    const source = openLogReader(stage.logPath);
    const second = stage.node({ log: copyOf(source, upTo), isCopy: true, isIdle: true });
    void second.project({ ...permanentLeaseTerm(), epoch: 2 });
    await vi.waitUntil(async () => (await activeFence(stage.db))?.epoch === 2, soon);
    upTo.last = Number.POSITIVE_INFINITY;
    await stage.reached(await stage.append(...randomRequests(5, seededRandom(2))));
    expect(await generations.active()).toBe(1);
    const { url, logPath } = stage;
    expect((await compareMongoReadModels({ url, logPath })).differences).toEqual([]);
    await second.close();
    source.close();
  });

  test('reports a restored log that ends before the read models after 20 s', async () => {
    await using stage = await mongoStage(server as MongoServer);
    const first = stage.node();
    await stage.reached(await stage.append(...randomRequests(30, seededRandom(1))));
    await first.close();

    const source = openLogReader(stage.logPath);
    let now = 0;
    let looks = 0;
    const clock = () => {
      looks += 1;
      return now;
    };
    const second = stage.node({ log: copyOf(source, { last: 12 }), isCopy: true, now: clock });
    await vi.waitUntil(() => looks >= 1, soon);
    now = 19_999;
    await vi.waitUntil(() => looks >= 2, soon);
    expect(second.reported).toEqual([]);
    now = 20_000;
    await vi.waitUntil(() => second.reported.length > 0, soon);
    expect(second.reported).toEqual([
      'The read models cannot continue: The copy of the log in this data folder ends at position 12, the read models reach 30. ' +
        'It catches up while svc runs; if EventStoreDB was restored from an older backup, run "svc rebuild".',
    ]);
    expect(await stage.generations.active()).toBe(1);
    await second.close();
    source.close();
  });

  test('rebuilds when the log, which is no copy, ends before the read models', async () => {
    await using stage = await mongoStage(server as MongoServer);
    await using restored = await mongoStage(server as MongoServer, stage.url);
    const first = stage.node();
    await stage.reached(await stage.append(...randomRequests(30, seededRandom(1))));
    await first.close();
    const head = await restored.append(...randomRequests(10, seededRandom(2)));
    const second = restored.node();
    await vi.waitUntil(async () => (await restored.generations.active()) === 2, soon);
    await restored.reached(head);
    await second.close();
  });

  test('a comparison reports a lagging copy of the log; a rebuild reaches as far as the copy', async () => {
    await using stage = await mongoStage(server as MongoServer);
    await using lagging = await mongoStage(server as MongoServer, stage.url);
    const first = stage.node();
    const events = randomRequests(20, seededRandom(1));
    await stage.reached(await stage.append(...events));
    await first.close();
    await lagging.append(...randomRequests(8, seededRandom(2)));
    const copy = { url: stage.url, logPath: lagging.logPath, isCopy: true, catchUpTimeoutMs: 50, graceMs: 0 };
    await expect(compareMongoReadModels(copy)).rejects.toThrow(
      'The copy of the log in this data folder ends at position 8, the read models reach 20',
    );
    expect(await rebuildMongoReadModels(copy)).toBe(8 as Position);
  });
});
