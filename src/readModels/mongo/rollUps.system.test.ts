import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../../../test/support/mongo/mongoServer.ts';
import { NOW } from '../../../test/support/specification.ts';
import { position } from '../../domain/core/brands.ts';
import type { Addition } from './addition.ts';
import { RollUps } from './rollUps.ts';

const server = await mongoServer();
afterAll(() => server?.stop());

/** FerretDB 1.24 has 100 connections to its files, and keeps one busy per replaced document until the command ends. */
const AS_MANY_AS_FERRETDB_HAS_CONNECTIONS = 100;
/** FerretDB scans all documents for each replaced one. */
const SLOW = { timeout: 60_000 };

/** One request of each account at this position. */
function aRequestOfEach(accounts: number, at: number): ReadonlyMap<string, Addition> {
  const parts = [{ position: position(at), sums: { requests: 1 } }];
  return new Map(
    Array.from({ length: accounts }, (_, account) => [
      `hour ${account}`,
      { period: 'hour', start: NOW, group: { accountId: `acc_${account}` }, parts },
    ]),
  );
}

describe.skipIf(!server)(server ? `${server.product} ${server.version}` : NO_MONGODB_FOUND, () => {
  test('a batch can change any number of existing sums', SLOW, async () => {
    await using client = new MongoClient((server as MongoServer).newDatabase());
    const collection = client.db().collection('sums');
    const rollUps = new RollUps(collection);
    for (const at of [1, 2]) {
      await rollUps.write(aRequestOfEach(AS_MANY_AS_FERRETDB_HAS_CONNECTIONS, at), position(at));
    }
    const sums = await collection.find().toArray();
    expect(sums).toHaveLength(AS_MANY_AS_FERRETDB_HAS_CONNECTIONS);
    expect(sums.find(({ _id }) => String(_id) === 'hour 7')).toEqual({
      _id: 'hour 7',
      period: 'hour',
      start: NOW,
      accountId: 'acc_7',
      position: 2,
      requests: 2,
    });
    expect(new Set(sums.map(({ requests }) => requests))).toEqual(new Set([2]));
  });
});
