import { describe, expect, test } from 'vitest';
import { answersIn, plain, plainStages } from '../../../test/support/plainStage.ts';

const stage = plainStages();

describe('Node answers', () => {
  test.each<[string, string]>([
    ['another method', 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another path', plain('/other')],
    ['chunks', 'POST /plain HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['a connection that ends', plain('/plain', '{}', 'Connection: close\r\n')],
    ['a name twice', plain('/plain', '{}', 'x-one: 1\r\nx-one: 2\r\n')],
    ['an empty line before the request', `\r\n${plain('/plain')}`],
  ])('%s, first on a connection or after plain requests', async (_, text) => {
    const { call, served } = await stage();
    const [first, later] = [await call(text), await call(plain('/plain/1') + text)];
    await expect.poll(() => answersIn(first)).toEqual([expect.stringMatching(/^node:/)]);
    await expect.poll(() => answersIn(later)).toEqual(['plain:/plain/1:{}', expect.stringMatching(/^node:/)]);
    expect(served.length).toBe(1);
  });

  test('a request whose head comes in pieces', async () => {
    const { call, served, connections } = await stage();
    const client = await call(plain('/plain').slice(0, 20));
    await expect.poll(() => connections.size).toBe(0);
    client.socket.write(plain('/plain').slice(20));
    await expect.poll(() => answersIn(client)).toEqual(['node:/plain']);
    expect(served.length).toBe(0);
  });

  test('all that follows on the connection, with bodies of any size', async () => {
    const { call, served, connections } = await stage();
    const client = await call(plain('/other', 'x'.repeat(200_000)) + plain('/plain'));
    await expect.poll(() => answersIn(client)).toEqual(['node:/other', 'node:/plain']);
    expect([served.length, connections.size]).toEqual([0, 0]);
  });

  test('what is no HTTP, with its refusal', async () => {
    const { call } = await stage();
    const client = await call(`${plain('/plain/1')}POST /plain HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`);
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.received).toContain('plain:/plain/1');
    expect(client.received).toContain('HTTP/1.1 400 Bad Request');
  });
});
