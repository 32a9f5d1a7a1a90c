import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { completed, type Stage, startManagement } from '../../../test/support/management.ts';

interface Sent {
  readonly method?: string;
  readonly accepts?: string;
  readonly body?: object;
}

/** Sends a request and returns the body as it arrived. */
function send({ port }: Stage, path: string, { method = 'GET', accepts, body }: Sent = {}) {
  const encoding = accepts === undefined ? {} : { 'accept-encoding': accepts };
  const type = body ? { 'content-type': 'application/json' } : {};
  return new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, headers: { ...encoding, ...type }, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      const done = () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) });
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        done();
        response.destroy();
      } else response.on('end', done);
    });
    sent.end(body && JSON.stringify(body));
  });
}

test('compresses what a GET returns, as the client accepts it', async () => {
  const stage = await startManagement();
  await stage.append(...Array.from({ length: 20 }, () => completed()));
  const path = '/api/request-logs';
  const plain = await send(stage, path);
  expect(plain.headers).toMatchObject({ vary: expect.stringMatching(/accept-encoding/i) });
  expect(plain.headers['content-encoding']).toBeUndefined();
  for (const [accepts, encoding, decode] of [
    ['gzip, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const) {
    const { headers, bytes } = await send(stage, path, { accepts });
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(bytes.length),
      'cache-control': 'no-store',
    });
    expect(decode(bytes)).toEqual(plain.bytes);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
  }
  for (const accepts of ['identity', 'gzip;q=0', 'zstd', ''])
    expect((await send(stage, path, { accepts })).headers['content-encoding']).toBeUndefined();
});

test('compresses neither short responses, nor errors, nor streams, nor the contract of a sign-in', async () => {
  const stage = await startManagement();
  for (const path of ['/api/settings', '/api/accounts/unknown/trends', '/api/live', '/api/oauth/status'])
    expect((await send(stage, path, { accepts: 'br' })).headers['content-encoding']).toBeUndefined();
});

test('compresses no response to a write: what is shown once is in one', async () => {
  const stage = await startManagement();
  const name = 'n'.repeat(100);
  const limits = Array.from({ length: 12 }, (_, index) => ({
    limit_type: 'total_tokens',
    limit_window: 'daily',
    max_value: 1_000 + index,
    model_filter: `gpt-${index}`,
  }));
  const { headers, bytes } = await send(stage, '/api/api-keys', {
    method: 'POST',
    accepts: 'br, gzip',
    body: { name, limits },
  });
  expect(JSON.parse(bytes.toString()).key).toMatch(/^sk-/);
  expect(bytes.length).toBeGreaterThan(1_024);
  expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
});
