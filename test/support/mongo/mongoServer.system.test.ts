import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';
import { mongoServer, NO_MONGODB_FOUND, withDatabase } from './mongoServer.ts';
import { throughPort } from './throughTcpProxy.ts';

const server = await mongoServer();
afterAll(() => server?.stop());

describe.skipIf(!server)(server ? `${server.product} ${server.version}` : NO_MONGODB_FOUND, () => {
  test('newDatabase returns separate databases', async () => {
    const [one, other] = [new MongoClient(server?.newDatabase() ?? ''), new MongoClient(server?.newDatabase() ?? '')];
    await one.db().collection('things').insertOne({ name: 'only here' });
    expect(await one.db().collection('things').countDocuments()).toBe(1);
    expect(await other.db().collection('things').countDocuments()).toBe(0);
    await one.close();
    await other.close();
  });
});

test.each([
  ['mongodb://127.0.0.1:27017', 'mongodb://127.0.0.1:27017/mine'],
  ['mongodb://a:1,b:2/?replicaSet=rs0', 'mongodb://a:1,b:2/mine?replicaSet=rs0'],
  ['mongodb://u:p@a/other?w=1', 'mongodb://u:p@a/mine?w=1'],
])('%s with another database is %s', (url, expected) => expect(withDatabase(url, 'mine')).toBe(expected));

test.each([
  ['mongodb://127.0.0.1:27017/mine', 'mongodb://127.0.0.1:9/mine?directConnection=true'],
  ['mongodb://a:1,b:2/mine?replicaSet=rs0&w=1', 'mongodb://127.0.0.1:9/mine?w=1&directConnection=true'],
  [
    'mongodb+srv://u:p%40@c.example.org/mine',
    'mongodb://u:p%40@127.0.0.1:9/mine?directConnection=true&tls=true&tlsAllowInvalidHostnames=true',
  ],
])('%s through a port of this machine is %s', (url, expected) => expect(throughPort(url, 9)).toBe(expected));
