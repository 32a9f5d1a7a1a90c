import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { Generations } from '../../src/readModels/mongo/generations.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../support/mongo/mongoServer.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { openCluster } from './cluster.ts';

const mongo = await mongoServer();
afterAll(() => mongo?.stop());

const soon = { timeout: 20_000, interval: 50 };

describe.skipIf(!mongo)(mongo ? `${mongo.product} ${mongo.version}` : NO_MONGODB_FOUND, () => {
  test('finds a change in MongoDB with rebuild --compare and repairs it with rebuild', async () => {
    const mongoUrl = (mongo as MongoServer).newDatabase();
    await using client = new MongoClient(mongoUrl);
    const generations = new Generations(client.db());
    const cluster = await openCluster({ mongoUrl });
    const [a, b] = await Promise.all([cluster.inProcessNode('a'), cluster.inProcessNode('b')]);
    const account = cluster.provider.addAccount();
    account.always(textResponse());
    await a.api.importAccount(account);
    await vi.waitUntil(async () => (await b.ask()) === 200, soon);
    await vi.waitUntil(async () => (await a.api.requestLog()).total > 0, soon);
    const [row] = (await a.api.requestLog(1)).rows;

    const compared = await cluster.command('b', 'rebuild', '--compare');
    expect(compared.stderr).toEqual([]);
    expect(compared.stdout.at(-1)).toMatch(/^no difference in \d+ rows, up to position \d+$/);
    expect(compared.exitCode).toBe(0);

    const before = await generations.active();
    const change = { $set: { model: 'gpt-invented' } };
    await generations.collections(before).requests.updateOne({ requestId: row?.request_id as string }, change);
    const comparedAgain = await cluster.command('b', 'rebuild', '--compare');
    expect(comparedAgain.stdout.join('\n')).toMatch(/requests \d+: model is "gpt-invented" in the live read models/);
    expect(comparedAgain.exitCode).toBe(1);

    const rebuilt = await cluster.command('b', 'rebuild');
    expect(rebuilt.exitCode).toBe(0);
    expect(await generations.active()).toBe(before + 1);
    expect((await a.api.requestLog(1)).rows).toEqual([row]);
    const { total } = await b.api.requestLog();
    expect(await a.ask()).toBe(200);
    await vi.waitUntil(async () => (await b.api.requestLog()).total > total, soon);
    expect((await cluster.command('a', 'rebuild', '--compare')).exitCode).toBe(0);
  }, 90_000);
});
