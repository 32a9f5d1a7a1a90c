import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { errorOf, type Gateway, type GatewayOptions } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import {
  accessTokenRefused,
  connectionReset,
  fullResponse,
  json,
  noResponse,
  type ResponseScript,
  requestRefused,
  serverError,
  usageLimitReached,
} from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

const gatewayFor = gateways();
let gateway: Gateway;
const start = async (options: GatewayOptions = {}) => {
  gateway = await gatewayFor(options);
};

const SVC = '/backend-api/transcribe';
const V1 = '/v1/audio/transcriptions';
const MIB = 1_048_576;
const MODEL = 'gpt-4o-transcribe';

interface Sent {
  file?: Blob | string;
  fileName?: string;
  [field: string]: unknown;
}
const audio = (bytes: number, type = 'audio/webm') => new Blob([Buffer.alloc(bytes, 'sound')], { type });
/** A form with the fields in this order. */
function form({ fileName = 'clip.webm', ...fields }: Sent): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) data.set(name, value, fileName);
    else data.set(name, String(value));
  }
  return data;
}
const send = (fields: Sent, path = SVC, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, { method: 'POST', body: form(fields), headers });
const sizeOf = (got: { file?: unknown } | undefined) => (got?.file as { bytes: Buffer } | undefined)?.bytes.length;
const atProvider = () => gateway.provider.received.filter(({ path }) => path === SVC);
const completed = () => gateway.events('RequestCompleted').map(({ data }) => data);

describe('a transcription', () => {
  test.each([
    [SVC, {}],
    [V1, { model: MODEL }],
  ])('returns the transcript on %s', async (path, fields) => {
    await start();
    const response = await send({ file: audio(5_000), prompt: 'names: Ærøskøbing', ...fields }, path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ text: 'Hello from the simulated provider.' });
    const [received] = atProvider();
    expect(received?.form).toEqual({
      file: { name: 'clip.webm', type: 'audio/webm', bytes: Buffer.alloc(5_000, 'sound') },
      prompt: 'names: Ærøskøbing',
    });
    expect(received?.headers.accept).toBe('application/json');
    expect(received?.headers.authorization).toBe(`Bearer ${gateway.pool[0]?.at.tokens.current().accessToken}`);
    expect(await gateway.logs()).toMatchObject([{ status: '200', model: MODEL, route: path }]);
  });

  test('accepts the model after the file, as SDKs send it', async () => {
    await start();
    const response = await send({ file: audio(10), model: MODEL, response_format: 'json', language: 'da' }, V1);
    expect(response.status).toBe(200);
    expect(atProvider()[0]?.form).toEqual({ file: expect.anything(), language: 'da' });
  });

  test('keeps unusual file names, and adds a missing name and type', async () => {
    await start();
    expect((await send({ file: audio(3, ''), fileName: 'a "quoted"\r\nname.wav' })).status).toBe(200);
    expect(atProvider()[0]?.form?.file).toMatchObject({ type: 'application/octet-stream' });
    const body = '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nsound\r\n--b--\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const response = await fetch(gateway.url + SVC, { method: 'POST', body, headers });
    expect(response.status).toBe(200);
    const { file } = atProvider()[1]?.form ?? {};
    expect(file).toMatchObject({ name: 'audio.wav', type: 'application/octet-stream', bytes: Buffer.from('sound') });
  });

  test('forwards a long recording byte for byte while it arrives, without collecting it', {
    timeout: 30_000,
  }, async () => {
    await start();
    const size = 20 * MIB;
    const upload = openUpload();
    for (let sent = 0; sent < size; sent += 65_536) {
      await upload.write(Buffer.alloc(65_536, sent / 65_536));
      if (sent === 8 * MIB) await gateway.provider.until(() => gateway.provider.arrivedBytes > 4 * MIB);
    }
    const { status, body } = await upload.end();
    expect([status, JSON.parse(body)]).toEqual([200, { text: expect.any(String) }]);
    const { file } = atProvider()[0]?.form ?? {};
    const { bytes } = file as { bytes: Buffer };
    expect(bytes.length).toBe(size);
    for (let at = 0; at < size; at += 65_536) expect(bytes[at]).toBe((at / 65_536) % 256);
  });

  test('pauses the client while the provider does not read', {
    timeout: 30_000,
  }, async () => {
    await using blocked = await transcriptionServer(async (request, response) => {
      await blocked.released;
      for await (const _ of request);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"at last"}');
    });
    await start({ between: blocked.between });
    const upload = openUpload();
    let written = 0;
    const size = 30 * MIB;
    const writing = (async () => {
      for (; written < size; written += 65_536) await upload.write(Buffer.alloc(65_536));
    })();
    let before = -1;
    await vi.waitUntil(
      () => {
        const isStalled = written === before && written > 0;
        before = written;
        return isStalled;
      },
      { interval: 300, timeout: 20_000 },
    );
    expect(written).toBeLessThan(size / 2);
    blocked.release();
    await writing;
    expect(await upload.end()).toEqual({ status: 200, body: '{"text":"at last"}' });
  });
});

describe('the usage of a transcription', () => {
  const withKey = async (max: number) => {
    await start();
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: max }];
    const { body } = await gateway.api('POST', '/api/api-keys', { name: 'k', limits });
    await gateway.set({ api_key_auth_enabled: true });
    const current = async () => (await gateway.api('GET', '/api/api-keys')).body[0].limits[0];
    return { headers: { authorization: `Bearer ${body.key}` }, current };
  };

  test('is read from the response', async () => {
    const { headers, current } = await withKey(1_000_000);
    const usage = { type: 'tokens', input_tokens: 140, output_tokens: 45, total_tokens: 185 };
    gateway.pool[0]?.at.transcribe.always(json(200, { text: 'hi', usage }));
    expect(await (await send({ file: audio(10) }, SVC, headers)).json()).toEqual({ text: 'hi', usage });
    expect(completed()[0]?.usage).toMatchObject({ inputTokens: 140, outputTokens: 45, isEstimated: false });
    expect(await current()).toMatchObject({ current_value: 185, reserved_value: 0 });
  });

  test('is estimated from the length when the response has none', async () => {
    await start();
    gateway.pool[0]?.at.transcribe.always(
      json(200, { text: 'x'.repeat(400), usage: { type: 'duration', seconds: 3 } }),
    );
    await (await send({ file: audio(50_000) })).text();
    const { usage } = completed()[0] ?? {};
    expect(usage?.isEstimated).toBe(true);
    expect(usage?.inputTokens).toBeGreaterThanOrEqual(50);
    expect(usage?.inputTokens).toBeLessThan(60);
    expect(usage?.outputTokens).toBeGreaterThan(100);
  });

  test('counts against the limits of its key, which refuse before the body is read', async () => {
    const { headers } = await withKey(1);
    expect((await send({ file: audio(10) }, SVC, headers)).status).toBe(200);
    const refused = await send({ file: audio(10) }, SVC, headers);
    expect([refused.status, await errorOf(refused)]).toMatchObject([429, { code: 'rate_limit_exceeded' }]);
    expect(atProvider()).toHaveLength(1);
  });

  test('is refused when the key may not use the model', async () => {
    await start();
    const { body } = await gateway.api('POST', '/api/api-keys', { name: 'k', allowed_models: ['gpt-5.1'] });
    await gateway.set({ api_key_auth_enabled: true });
    const response = await send({ file: audio(10) }, SVC, { authorization: `Bearer ${body.key}` });
    expect([response.status, await errorOf(response)]).toMatchObject([403, { code: 'model_not_allowed' }]);
  });
});

describe('a short recording', () => {
  test.each<[string, ResponseScript, string]>([
    ['the window is used up', usageLimitReached(), 'usage_limit'],
    ['the provider fails', serverError({ body: 'html' }), 'provider_error'],
    ['the connection is reset', connectionReset(), 'unreachable'],
    ['the provider responds with a page', fullResponse(200, 'text/html', '<html>'), 'not_json'],
  ])('is retried on another account when %s', async (_what, script, outcome) => {
    await start({ accounts: 2 });
    const [first, second] = gateway.pool;
    first?.at.transcribe.always(script);
    expect((await send({ file: audio(900_000) })).status).toBe(200);
    expect(completed()[0]?.attempts).toMatchObject([
      { accountId: first?.id, outcome },
      { accountId: second?.id, outcome: 'ok' },
    ]);
    // A kept connection that is reset is replaced once, so that the first account may receive the form twice.
    expect(new Set(atProvider().map(({ form: got }) => sizeOf(got)))).toEqual(new Set([900_000]));
  });

  test('is retried on the same account with a new token', async () => {
    await start();
    gateway.pool[0]?.at.transcribe.next(accessTokenRefused());
    expect((await send({ file: audio(10) })).status).toBe(200);
    expect(completed()[0]?.attempts).toMatchObject([{ outcome: 'unauthorized' }, { outcome: 'ok', isRepeat: true }]);
  });
});

describe('a long recording, which svc does not buffer,', () => {
  const long = () => send({ file: audio(3 * MIB) });

  test('has one attempt and reports its failure', async () => {
    await start({ accounts: 2 });
    for (const { at } of gateway.pool) at.transcribe.always(serverError());
    const response = await long();
    expect([response.status, await errorOf(response)]).toMatchObject([502, { code: 'server_error' }]);
    expect(completed()).toMatchObject([{ status: '502', attempts: [{ outcome: 'provider_error' }] }]);
    expect(atProvider()).toHaveLength(1);
  });

  test('gets a response that the provider sends before its end at once', { timeout: 30_000 }, async () => {
    const error = { type: 'usage_limit_reached', resets_in_seconds: 600 };
    await using early = await transcriptionServer((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    });
    await start({ between: early.between });
    const upload = openUpload();
    await upload.write(Buffer.alloc(2 * MIB));
    const { status, body } = await upload.response();
    expect([status, JSON.parse(body).error.type]).toEqual([429, 'usage_limit_reached']);
    // The client may continue to send and use its connection again.
    for (let sent = 0; sent < 4 * MIB; sent += 65_536) await upload.write(Buffer.alloc(65_536));
    await upload.end();
    expect(completed()).toMatchObject([{ status: '429', attempts: [{ outcome: 'usage_limit' }] }]);
  });

  test('can go to another account before any of it was sent', async () => {
    await start({ accounts: 2 });
    const [first, second] = gateway.pool;
    // Without valid tokens nothing is sent.
    first?.at.expireAccessToken();
    if (first) first.at.token = { status: 500 };
    const response = await long();
    expect([first?.id, second?.id]).toContain(completed()[0]?.accountId);
    expect([200, 502]).toContain(response.status);
  });
});

describe('rejects without calling the provider', () => {
  const file = audio(10);
  test.each<[string, string, Sent, number, string, string | undefined]>([
    ['no file', SVC, { prompt: 'x' }, 422, 'validation_error', 'file'],
    ['a text in place of the file', SVC, { file2: 'x' }, 422, 'validation_error', 'file'],
    ['no model', V1, { file }, 422, 'validation_error', 'model'],
    ['another model', V1, { file, model: 'whisper-1' }, 400, 'invalid_request_error', 'model'],
    ['another model, before the file', SVC, { model: 'whisper-1', file }, 400, 'invalid_request_error', 'model'],
    [
      'another format',
      V1,
      { file, model: MODEL, response_format: 'srt' },
      400,
      'invalid_request_error',
      'response_format',
    ],
    ['a stream', V1, { file, model: MODEL, stream: 'true' }, 400, 'invalid_request_error', 'stream'],
    ['two files', SVC, { file, other: file }, 400, 'invalid_request_error', 'other'],
    ['a field that is too long', SVC, { prompt: 'x'.repeat(300_000), file }, 400, 'invalid_request_error', 'prompt'],
  ])('%s', async (_what, path, fields, status, code, param) => {
    await start();
    const response = await send(fields, path);
    expect(response.status).toBe(status);
    const error = await errorOf(response);
    expect(error).toMatchObject({ code, type: 'invalid_request_error', ...(param && { param }) });
    if (status === 422) expect(error.message).toBe('Invalid request payload');
    expect(atProvider()).toEqual([]);
    expect(await gateway.logs()).toMatchObject([{ status: String(status), model: MODEL, route: path }]);
  });

  test.each<[string, string, string, number, string]>([
    ['JSON', '{"file":"x"}', 'application/json', 400, 'invalid_request_error'],
    ['no boundary', 'x', 'multipart/form-data', 400, 'invalid_request_error'],
    [
      'half a form',
      '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nsou',
      'multipart/form-data; boundary=b',
      400,
      'invalid_request_error',
    ],
    ['no form at all', 'just text', 'multipart/form-data; boundary=b', 400, 'invalid_request_error'],
    ['nothing', '', 'multipart/form-data; boundary=b', 400, 'invalid_request_error'],
    [
      'many parts',
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'.repeat(200),
      'multipart/form-data; boundary=b',
      400,
      'invalid_request_error',
    ],
  ])('%s', async (_what, body, type, status, code) => {
    await start();
    const response = await fetch(gateway.url + SVC, { method: 'POST', body, headers: { 'content-type': type } });
    expect([response.status, await errorOf(response)]).toMatchObject([status, { code }]);
    expect(atProvider()).toEqual([]);
    expect(await gateway.logs()).toMatchObject([{ status: String(status) }]);
  });

  test('a compressed form', async () => {
    await start();
    const response = await send({ file: audio(10) }, SVC, { 'content-encoding': 'gzip' });
    expect([response.status, await errorOf(response)]).toMatchObject([400, { code: 'unsupported_media_type' }]);
  });

  test('a form whose Content-Length is too large', async () => {
    await start();
    const response = await send({ file: audio(33 * MIB) });
    expect([response.status, await errorOf(response)]).toMatchObject([413, { code: 'request_too_large' }]);
    expect(atProvider()).toEqual([]);
  });
});

describe('a form that turns out invalid while it is forwarded', () => {
  test('aborts the call to the provider when it is too large', { timeout: 30_000 }, async () => {
    await start();
    const upload = openUpload();
    for (let sent = 0; sent <= 33 * MIB; sent += 262_144) await upload.write(Buffer.alloc(262_144));
    const { status, body } = await upload.end();
    expect([status, JSON.parse(body).error.code]).toEqual([413, 'request_too_large']);
    await gateway.provider.until(() => atProvider()[0]?.aborted === true);
    expect(completed()).toMatchObject([{ status: '413', usage: null, attempts: [{ outcome: 'request_refused' }] }]);
    expect(await gateway.availability(gateway.pool[0]?.id ?? '')).toMatchObject({ state: 'available' });
  });

  test('aborts the call when a field after the file is invalid', { timeout: 30_000 }, async () => {
    await start();
    const response = await send({ file: audio(3 * MIB), model: 'whisper-1' }, V1);
    expect([response.status, await errorOf(response)]).toMatchObject([400, { param: 'model' }]);
    await gateway.provider.until(() => atProvider()[0]?.aborted === true);
    expect(completed()).toMatchObject([{ status: '400', attempts: [{ outcome: 'request_refused' }] }]);
  });

  test('relays an error of the provider about the form', async () => {
    await start();
    gateway.pool[0]?.at.transcribe.always(requestRefused());
    const response = await send({ file: audio(10) });
    expect([response.status, await errorOf(response)]).toMatchObject([400, { code: 'invalid_request_error' }]);
  });
});

describe('a client that disconnects', () => {
  test.each([
    ['while it sends', 3 * MIB, 1],
    ['before an account was called', 1_000, 0],
  ])('%s', async (_when, bytes, attempts) => {
    await start();
    const upload = openUpload();
    await upload.write(Buffer.alloc(bytes));
    if (attempts > 0) await gateway.provider.until(() => gateway.provider.arrivedBytes >= 2 * MIB);
    else await vi.waitUntil(async () => (await gateway.api('GET', '/health')).status === 200, waitOptions);
    upload.destroy();
    const ended = () => [...completed(), ...gateway.events('RequestRefused').map(({ data }) => data)];
    await vi.waitUntil(() => ended().length > 0, waitOptions);
    expect(ended()).toMatchObject([{ status: 'error', errorCode: 'client_disconnected' }]);
    await gateway.provider.until(() => atProvider().filter(({ aborted }) => aborted).length === attempts);
  });

  test('while the provider works', async () => {
    await start();
    gateway.pool[0]?.at.transcribe.always(noResponse());
    const controller = new AbortController();
    const body = form({ file: audio(10) });
    const response = fetch(gateway.url + SVC, { method: 'POST', body, signal: controller.signal });
    response.catch(() => undefined);
    await gateway.provider.until(() => atProvider().length > 0);
    controller.abort();
    await gateway.provider.until(() => atProvider()[0]?.aborted === true);
    await vi.waitUntil(() => completed().length > 0, waitOptions);
    expect(completed()).toMatchObject([{ errorCode: 'client_disconnected', usage: { isEstimated: true } }]);
  });
});

/** A form of one file, sent in parts without a length. */
function openUpload(path = SVC) {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const request = httpRequest(gateway.url + path, { method: 'POST', headers });
  const responded = new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
  });
  responded.catch(() => undefined);
  request.write(
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n',
  );
  return {
    write: (chunk: Buffer) =>
      new Promise<void>((resolve) => {
        request.write(chunk, () => resolve());
      }),
    response: () => responded,
    end() {
      request.end('\r\n--b--\r\n');
      return responded;
    },
    destroy: () => request.destroy(),
  };
}

/** Responds to transcriptions instead of the provider, and forwards all other requests to it. */
async function transcriptionServer(respond: (request: IncomingMessage, response: ServerResponse) => unknown) {
  let target = '';
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/transcribe')) {
      respond(request, response);
      return;
    }
    const { host: _, ...headers } = request.headers as Record<string, string>;
    const original = await fetch(target + request.url?.replace('/backend-api', ''), { headers });
    response.writeHead(original.status, { 'content-type': 'application/json' }).end(await original.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    released,
    release,
    between: async (providerBaseUrl: string) => {
      target = providerBaseUrl;
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/backend-api`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
