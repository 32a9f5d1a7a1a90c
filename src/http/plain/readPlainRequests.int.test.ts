import { describe, expect, test } from 'vitest';
import { plainRequest, plainServers, responsesIn } from '../../../test/support/plainServer.ts';

const startServer = plainServers();

describe('leaves to Node', () => {
  test.each<[string, string]>([
    ['another method', 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another path', plainRequest('/other')],
    ['chunks', 'POST /plain HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['Connection: close', plainRequest('/plain', '{}', 'Connection: close\r\n')],
    ['a repeated header', plainRequest('/plain', '{}', 'x-one: 1\r\nx-one: 2\r\n')],
    ['an empty line before the request', `\r\n${plainRequest('/plain')}`],
  ])('%s, at the beginning of a connection or after plain requests', async (_, text) => {
    const { connectClient, served } = await startServer();
    const [first, later] = [await connectClient(text), await connectClient(plainRequest('/plain/1') + text)];
    await expect.poll(() => responsesIn(first)).toEqual([expect.stringMatching(/^node:/)]);
    await expect.poll(() => responsesIn(later)).toEqual(['plain:/plain/1:{}', expect.stringMatching(/^node:/)]);
    expect(served.length).toBe(1);
  });

  test('a request whose head arrives in pieces', async () => {
    const { connectClient, served, connections } = await startServer();
    const client = await connectClient(plainRequest('/plain').slice(0, 20));
    await expect.poll(() => connections.size).toBe(0);
    client.socket.write(plainRequest('/plain').slice(20));
    await expect.poll(() => responsesIn(client)).toEqual(['node:/plain']);
    expect(served.length).toBe(0);
  });

  test('everything that follows on the connection', async () => {
    const { connectClient, served, connections } = await startServer();
    const client = await connectClient(plainRequest('/other', 'x'.repeat(200_000)) + plainRequest('/plain'));
    await expect.poll(() => responsesIn(client)).toEqual(['node:/other', 'node:/plain']);
    expect([served.length, connections.size]).toEqual([0, 0]);
  });

  test('invalid bytes after a plain request', async () => {
    const { connectClient } = await startServer();
    const client = await connectClient(
      `${plainRequest('/plain/1')}POST /plain HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
    );
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.received).toContain('plain:/plain/1');
    expect(client.received).toContain('HTTP/1.1 400 Bad Request');
  });
});
