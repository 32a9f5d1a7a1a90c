import { type Document, MongoClient } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';
import { randomRequests } from '../../../test/contract/readModels/randomRequests.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../../../test/support/mongo/mongoServer.ts';
import { mongoStage } from '../../../test/support/mongo/mongoStage.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { earlier, HOUR, MINUTE } from '../../../test/support/specification.ts';
import { position } from '../../domain/core/brands.ts';
import type { QueryHandlers } from '../readModels.ts';
import { INDEXES } from './collections.ts';
import { Generations } from './generations.ts';
import { createQueryHandlers } from './queryHandlers.ts';
import { RequestKinds } from './requestKinds.ts';
import { RowSpans } from './rowSpans.ts';

const server = await mongoServer();
afterAll(() => server?.stop());

const isReal = server?.product === 'MongoDB';

interface Sent {
  /** Without the generation's prefix. */
  readonly collection: string;
  readonly command: Document;
}

/** A filled generation, and the commands that its queries send to the server. */
async function filled() {
  const stage = await mongoStage(server as MongoServer);
  const head = await stage.append(...randomRequests(60, seededRandom(3)));
  const node = stage.node();
  await stage.reached(head);
  await node.close();
  const client = new MongoClient(stage.url, { monitorCommands: true });
  const sent: Sent[] = [];
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName !== 'find' && commandName !== 'aggregate') return;
    sent.push({ collection: String(command[commandName]).split('.').at(-1) as string, command });
  });
  const collections = new Generations(client.db()).collections(1);
  const queries = createQueryHandlers({
    position: head,
    archived: [],
    archivedUpTo: 0,
    collections,
    kinds: new RequestKinds(collections.kinds),
    spans: new RowSpans(collections.rowSpans),
  });
  return {
    db: client.db(),
    async sentBy(query: (queries: QueryHandlers) => Promise<unknown>): Promise<Sent[]> {
      sent.length = 0;
      await query(queries);
      return [...sent];
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await stage[Symbol.asyncDispose]();
    },
  };
}

type Query = (queries: QueryHandlers) => Promise<unknown>;
const since = earlier(30 * MINUTE);
const until = earlier(MINUTE);

const PAGES: Readonly<Record<string, Query>> = {
  'the first page': ({ requestLog }) => requestLog.page({}, 10, 0, null),
  'a deep page': ({ requestLog }) => requestLog.page({}, 10, 40, null),
  'a stretch of time that begins and ends within an hour': ({ requestLog }) =>
    requestLog.page({ since, until }, 10, 0, null),
  'one account': ({ requestLog }) => requestLog.page({ accountIds: ['a'] }, 10, 0, null),
  'accounts that were tried': ({ requestLog }) =>
    requestLog.page({ attemptedAccountIds: ['a', 'b'], since }, 10, 0, null),
  'a page of an earlier moment': ({ requestLog }) => requestLog.page({}, 10, 0, position(20)),
  'one status of the last hour': ({ requestLog }) => requestLog.page({ statuses: ['429'], since }, 10, 0, null),
};
const OTHERS: Readonly<Record<string, Query>> = {
  'the beginning of an id': ({ requestLog }) => requestLog.page({ search: 'req_12' }, 10, 0, null),
  'a part of a message': ({ requestLog }) => requestLog.page({ search: 'broke 3' }, 10, 0, null),
  'what one tried account can be narrowed to': ({ requestLog }) =>
    requestLog.options({ attemptedAccountIds: ['a'] }, null),
  'what a stretch of time can be narrowed to': ({ requestLog }) => requestLog.options({ since, until }, null),
  'sums since a moment': ({ requestTotals }) => requestTotals.since(earlier(5 * HOUR + 1), null),
  'usage since a moment': ({ usageTrends }) => usageTrends.since(earlier(HOUR), null),
  'sums as of an earlier moment': ({ requestTotals }) => requestTotals.since(earlier(5 * HOUR + 1), position(20)),
  'usage as of an earlier moment': ({ usageTrends }) => usageTrends.since(earlier(HOUR), position(20)),
  'the latest of the history': ({ history }) => history.page({}, null, 10, null),
};

test('the request log has nine indexes, including that of `_id`', () => {
  expect(INDEXES.requests.map(({ name }) => name)).toEqual([
    'byTime',
    'byKind',
    'byKey',
    'byConversation',
    'byRequestId',
    'byModelBeyond',
    'byEffortBeyond',
    'byErrorMessage',
  ]);
});

describe.skipIf(!server)(server ? `${server.product} ${server.version}` : NO_MONGODB_FOUND, () => {
  test('queries of the request log hint the index that was made for them', async () => {
    await using stage = await filled();
    const names = new Set<unknown>([...INDEXES.requests, ...INDEXES.attempts].map(({ name }) => name));
    for (const [what, query] of Object.entries(PAGES)) {
      const walks = (await stage.sentBy(query)).filter(
        ({ collection, command }) => ['requests', 'attempts'].includes(collection) && !command.filter?._id,
      );
      expect(walks.length, what).toBeGreaterThan(0);
      for (const { command } of walks) expect(names, what).toContain(command.hint);
    }
  });
});

describe.skipIf(!isReal)(
  isReal ? 'explain' : `explain: needs a MongoDB, ${server?.product ?? 'nothing'} was found`,
  () => {
    test('no query scans a whole collection', async () => {
      await using stage = await filled();
      for (const [what, query] of Object.entries({ ...PAGES, ...OTHERS })) {
        for (const { command } of await stage.sentBy(query)) {
          expect(stagesOf(await explained(stage.db, command)), `${what}: ${JSON.stringify(command)}`).not.toContain(
            'COLLSCAN',
          );
        }
      }
    });

    test('pages are read in index order and counted without rows', async () => {
      await using stage = await filled();
      for (const [what, query] of Object.entries(PAGES)) {
        for (const { collection, command } of await stage.sentBy(query)) {
          if (collection !== 'requests' || command.filter?._id) continue;
          const plan = await explained(stage.db, command);
          expect(stagesOf(plan), what).not.toContain('SORT');
          expect(new Set(valuesOf(plan, 'totalDocsExamined')), what).toEqual(new Set([0]));
        }
      }
    });
  },
);

/** Fields of a command that belong to the connection. */
const OF_CONNECTION = /^(?:\$|lsid|txnNumber|maxTimeMS|readConcern)/;

const explained = (db: { command(command: Document): Promise<Document> }, command: Document): Promise<Document> =>
  db.command({
    explain: Object.fromEntries(Object.entries(command).filter(([name]) => !OF_CONNECTION.test(name))),
    verbosity: 'executionStats',
  });

/** All values of a field in a query plan, without the rejected plans. */
function valuesOf(plan: unknown, field: string): unknown[] {
  if (typeof plan !== 'object' || plan === null) return [];
  return Object.entries(plan).flatMap(([name, value]) => [
    ...(name === field ? [value] : []),
    ...(name === 'rejectedPlans' ? [] : valuesOf(value, field)),
  ]);
}
const stagesOf = (plan: Document) => valuesOf(plan, 'stage');
