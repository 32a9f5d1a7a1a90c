import type { Collection } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';
import { randomRequests } from '../../../test/contract/readModels/randomRequests.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../../../test/support/mongo/mongoServer.ts';
import { type MongoStage, mongoStage } from '../../../test/support/mongo/mongoStage.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { NOW } from '../../../test/support/specification.ts';
import type { Position } from '../../domain/core/brands.ts';
import { RefusalsCounted } from '../../domain/request/events.ts';
import { BatchWriter } from './batchWriter.ts';
import { changesOf } from './changes.ts';
import { loadNames, noNames } from './chosenNames.ts';
import type { Collections } from './collections.ts';
import { type Fence, Fenced } from './generations.ts';
import { type LogReader, openLogReader } from './logReader.ts';

const server = await mongoServer();
afterAll(() => server?.stop());

class Killed extends Error {}

/** Allows this many writes; the next one fails like a killed process, before or after it reaches the server. */
class Lives {
  #left: number;
  readonly #isWritten: boolean;
  constructor(left: number, isWritten: boolean) {
    this.#left = left;
    this.#isWritten = isWritten;
  }
  async write<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#left <= 0) {
      if (this.#left === 0 && this.#isWritten) {
        this.#left--;
        await work().catch(() => undefined);
      }
      throw new Killed('killed');
    }
    this.#left--;
    return work();
  }
}

const WRITES = new Set(['insertMany', 'bulkWrite']);

/** Wraps collections so that each write is counted. */
function mortal(collections: Collections, lives: Lives): Collections {
  const wrap = (collection: Collection<never>) =>
    new Proxy(collection, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== 'function') return value;
        if (!WRITES.has(String(name))) return value.bind(target);
        return (...args: unknown[]) => lives.write(() => value.apply(target, args));
      },
    });
  return Object.fromEntries(
    Object.entries(collections).map(([name, collection]) => [name, wrap(collection as never)]),
  ) as unknown as Collections;
}

const fence: Fence = { by: 'test', epoch: 1 };

/** Projects the rest of the log into a generation, in batches of this size. @throws Killed */
async function catchUp(
  { generations }: MongoStage,
  source: LogReader,
  generation: number,
  batchEvents: number,
  lives?: Lives,
): Promise<void> {
  let mark = await generations.claim(generation, fence);
  const collections = generations.collections(generation);
  const writer = new BatchWriter(lives ? mortal(collections, lives) : collections);
  const names = await loadNames(collections);
  for (;;) {
    const events = source.read(mark.position, batchEvents);
    if (events.length === 0) return;
    const changes = changesOf(mark, events, names);
    await writer.write(changes);
    const advance = () => generations.advance(generation, fence, mark, changes.to);
    await (lives ? lives.write(advance) : advance());
    mark = changes.to;
  }
}

/** All documents of a generation, without the positions of sums, which depend on batch boundaries. */
async function contentOf({ generations }: MongoStage, generation: number): Promise<Record<string, unknown[]>> {
  const collections = Object.entries(generations.collections(generation)) as [string, Collection][];
  const contents = collections.map(async ([name, collection]) => {
    const documents = await collection.find().toArray();
    const shown = documents.map(({ position: _, since: __, ...document }) => document);
    return [name, shown.sort((a, b) => (String(a._id) < String(b._id) ? -1 : 1))] as const;
  });
  return Object.fromEntries(await Promise.all(contents));
}

const happened = () => [
  ...randomRequests(8, seededRandom(7)),
  RefusalsCounted({ keyId: null, address: null, minute: NOW, counts: { no_accounts: 3, rate_limit_exceeded: 1 } }),
  ...randomRequests(4, seededRandom(8)),
];

describe.skipIf(!server)(server ? `${server.product} ${server.version}` : NO_MONGODB_FOUND, () => {
  test.each([
    ['before it reaches the server', false],
    ['after it reaches the server', true],
  ])(
    'recovers from a kill at any write, %s, with other batch boundaries',
    async (_when, isWritten) => {
      await using stage = await mongoStage(server as MongoServer);
      await stage.append(...happened());
      const source = openLogReader(stage.logPath);
      await catchUp(stage, source, 1, 1_000);
      const expected = await contentOf(stage, 1);
      expect(expected.requests).toHaveLength(12);

      let kills = 0;
      for (let lives = 0; ; lives++) {
        const generation = lives + 2;
        const killed = await catchUp(stage, source, generation, 5, new Lives(lives, isWritten)).then(
          () => false,
          (error: unknown) => error instanceof Killed || Promise.reject(error),
        );
        await catchUp(stage, source, generation, 3 + (lives % 4));
        expect(await contentOf(stage, generation), `killed at write ${lives + 1}`).toEqual(expected);
        if (!killed) break;
        kills++;
      }
      // Three batches, each of rows, history, three roll-ups and the checkpoint; kinds, texts and refusals in some.
      expect(kills).toBeGreaterThanOrEqual(3 * 6);
      source.close();
    },
    480_000,
  );

  test('projecting the same events again changes nothing', async () => {
    await using stage = await mongoStage(server as MongoServer);
    const head = await stage.append(...happened());
    const source = openLogReader(stage.logPath);
    await catchUp(stage, source, 1, 4);
    const before = await contentOf(stage, 1);
    const events = source.read(0 as Position, head);
    const begin = { position: 0 as Position, eventId: null, latest: 0 as never };
    await new BatchWriter(stage.generations.collections(1)).write(changesOf(begin, events, noNames()));
    await new BatchWriter(stage.generations.collections(1)).write(changesOf(begin, events.slice(0, 6), noNames()));
    expect(await contentOf(stage, 1)).toEqual(before);
    source.close();
  }, 60_000);

  test('a paused projector that was replaced completes no batch, and its writes match the new one', async () => {
    await using stage = await mongoStage(server as MongoServer);
    await stage.append(...happened());
    const source = openLogReader(stage.logPath);
    const { generations } = stage;
    const old = { by: 'lease', epoch: 3 };
    const mark = await generations.claim(1, old);
    const changes = changesOf(mark, source.read(mark.position, 6), noNames());
    const writer = new BatchWriter(generations.collections(1));

    const fresh = { by: 'lease', epoch: 4 };
    const from = await generations.claim(1, fresh);
    await expect(generations.claim(1, old)).rejects.toThrow(Fenced);
    const allChanges = changesOf(from, source.read(from.position, 1_000), noNames());
    const newWriter = new BatchWriter(generations.collections(1));
    const both = [() => writer.write(changes), () => newWriter.write(allChanges)];
    // FerretDB reads before it writes, so two concurrent writers may overwrite each other there.
    if (server?.product === 'MongoDB') await Promise.all(both.map((write) => write()));
    else for (const write of both) await write();
    await expect(generations.advance(1, old, mark, changes.to)).rejects.toThrow(Fenced);
    await generations.advance(1, fresh, from, allChanges.to);
    await writer.write(changes);

    await catchUp(stage, source, 2, 1_000);
    expect(await contentOf(stage, 1)).toEqual(await contentOf(stage, 2));
    source.close();
  }, 60_000);

  test('epochs of another lease do not fence after the history moved to another store', async () => {
    await using stage = await mongoStage(server as MongoServer);
    const { generations } = stage;
    await generations.claim(1, { by: 'lease', epoch: 12 });
    await expect(generations.claim(1, { by: 'lease', epoch: 11 })).rejects.toThrow(Fenced);
    expect((await generations.claim(1, { by: 'embedded log', epoch: 1 })).position).toBe(0);
    await expect(generations.advance(1, { by: 'lease', epoch: 12 }, MARK, MARK)).rejects.toThrow(Fenced);
  });
});

const MARK = { position: 0 as Position, eventId: null, latest: 0 as never };
