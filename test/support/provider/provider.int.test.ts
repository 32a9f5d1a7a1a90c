import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acceptableBody, credentials, eventsIn, sendRequest } from './client.ts';
import { type Provider, startProvider } from './provider.ts';
import { json, noResponse, streamSilent, textResponse, usageLimitReached } from './scripts.ts';

let provider: Provider;
beforeEach(async () => {
  provider = await startProvider();
});
afterEach(() => provider.close());

const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: { code: string } }).error.code,
];

test('responds to an account, and records everything that it sent', async () => {
  const account = provider.addAccount();
  const response = await sendRequest(provider, account, { headers: { originator: 'codex_exec' } });
  const events = eventsIn(await response.text());
  expect(events.at(-1)?.data.response.output[0].content[0].text).toBe('Hello from the simulated provider.');
  await provider.until(() => account.inFlight === 0);
  expect(account.received).toMatchObject([
    {
      method: 'POST',
      path: '/backend-api/codex/responses',
      headers: { originator: 'codex_exec' },
      json: acceptableBody,
      account: account.id,
      status: 200,
      finished: true,
      aborted: false,
    },
  ]);
  expect(account.received[0]?.body.toString()).toBe(JSON.stringify(acceptableBody));
});

test('accepts a token only for the account that it was issued to', async () => {
  const [first, second] = [provider.addAccount(), provider.addAccount()];
  const stolen = { authorization: credentials(first).authorization ?? '' };
  expect(await codeOf(await sendRequest(provider, second, { headers: stolen }))).toEqual([401, 'invalid_token']);
  expect(await codeOf(await sendRequest(provider, first, { headers: { 'chatgpt-account-id': '' } }))).toEqual([
    401,
    'invalid_token',
  ]);
  expect((await sendRequest(provider, first)).status).toBe(200);
});

test('distinguishes two seats of one workspace by their tokens', async () => {
  const [first, second] = ['a@example.com', 'b@example.com'].map((email) =>
    provider.addAccount({ id: 'workspace', email }),
  );
  first?.always(json(418, {}));
  if (second) expect((await sendRequest(provider, second)).status).toBe(200);
});

test('accepts any body when it is not strict', async () => {
  const lenient = await startProvider({ strict: false });
  const account = lenient.addAccount();
  expect((await sendRequest(lenient, account, { body: { model: 'm', input: 'hi', temperature: 1 } })).status).toBe(200);
  await lenient.close();
});

test('reads zstd bodies, and rejects other encodings', async () => {
  const account = provider.addAccount();
  const body = new Uint8Array(zstdCompressSync(JSON.stringify(acceptableBody)));
  expect((await sendRequest(provider, account, { body, headers: { 'content-encoding': 'zstd' } })).status).toBe(200);
  expect((await sendRequest(provider, account, { body, headers: { 'content-encoding': 'br' } })).status).toBe(400);
  expect(account.received[0]?.json).toEqual(acceptableBody);
  expect(account.received[0]?.body.equals(body)).toBe(true);
});

test('uses queued scripts for one request each before the default', async () => {
  const account = provider.addAccount();
  account.always(json(503, {}));
  account.next(usageLimitReached(), textResponse());
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push((await sendRequest(provider, account)).status);
  expect(statuses).toEqual([429, 200, 503, 503]);
  expect(account.received.map(({ script }) => script)).toEqual([
    'usageLimitReached',
    'textResponse',
    '503 json',
    '503 json',
  ]);
});

test('records a client that disconnects before the first event as aborted', async () => {
  const account = provider.addAccount();
  account.always(noResponse());
  const client = new AbortController();
  const response = sendRequest(provider, account, { signal: client.signal });
  await provider.until(() => account.inFlight === 1);
  client.abort();
  await expect(response).rejects.toThrow();
  await provider.until(() => account.inFlight === 0);
  expect(account.received).toMatchObject([{ aborted: true, finished: false, ended: true, status: undefined }]);
});

test('records a client that disconnects during a stream as aborted', async () => {
  const account = provider.addAccount();
  account.always(streamSilent({ events: 3 }));
  const client = new AbortController();
  const { body } = await sendRequest(provider, account, { signal: client.signal });
  await body?.getReader().read();
  expect(account.received).toMatchObject([{ ended: false, status: 200 }]);
  client.abort();
  await provider.until(() => account.inFlight === 0);
  expect(account.received).toMatchObject([{ aborted: true, finished: false }]);
});

test('uses no script for a client that disconnects during its own body', async () => {
  const account = provider.addAccount();
  account.next(json(418, {}));
  const socket = connect({ port: Number(new URL(provider.url).port), host: '127.0.0.1' });
  const head = 'POST /backend-api/codex/responses HTTP/1.1\r\nhost: provider\r\ncontent-length: 100\r\n\r\n';
  socket.write(`${head}{"model":`, () => socket.destroy());
  await provider.until(() => provider.received[0]?.ended === true);
  expect(provider.received).toMatchObject([{ aborted: true, finished: false, script: 'client disconnected' }]);
  expect((await sendRequest(provider, account)).status).toBe(418);
});

test('waits for a slow client', async () => {
  const [big, small] = [provider.addAccount(), provider.addAccount()];
  const piece = Buffer.alloc(64 * 1024, 'x');
  const pieces = 1024;
  big.always({
    name: 'big',
    *steps() {
      yield { head: 200 };
      for (let n = 0; n < pieces; n++) yield { bytes: piece };
    },
  });
  // Referenced until the end, because fetch cancels the body of a response that is garbage collected.
  const response = await sendRequest(provider, big);
  for (let n = 0; n < 20; n++) await (await sendRequest(provider, small)).text();
  expect(big.received[0]?.sentBytes).toBeLessThan((piece.length * pieces) / 2);
  let read = 0;
  for await (const bytes of response.body ?? []) read += bytes.length;
  expect(read).toBe(piece.length * pieces);
});

test('accepts any token and any account with acceptsAnyToken', async () => {
  const open = await startProvider({ acceptsAnyToken: true });
  const headers = { authorization: 'Bearer whatever', 'content-type': 'application/json' };
  const response = await fetch(`${open.baseUrl}/codex/responses`, {
    method: 'POST',
    headers,
    body: JSON.stringify(acceptableBody),
  });
  expect(response.status).toBe(200);
  expect(open.received[0]?.account).toBe(open.accounts[0]?.id);
  await open.close();
});

test('ends open requests when it closes', async () => {
  const other = await startProvider();
  const account = other.addAccount();
  account.always(noResponse());
  const response = sendRequest(other, account).catch((error: Error) => error);
  await other.until(() => account.inFlight === 1);
  await other.close();
  expect(await response).toBeInstanceOf(Error);
  await nextTurn();
  expect(account.received).toMatchObject([{ aborted: false, finished: false, ended: true }]);
});
