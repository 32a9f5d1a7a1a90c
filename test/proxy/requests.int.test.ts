import { request as httpRequest } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { errorOf, type Gateway, validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';

const start = gateways();
let gateway: Gateway;

describe('compressed bodies', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('%s is decoded and forwarded as JSON', async (encoding, compress) => {
    gateway = await start();
    const body = compress(Buffer.from(JSON.stringify(validRequest)));
    const response = await gateway.ask(body, { headers: { 'content-encoding': encoding } });
    expect(response.status).toBe(200);
    await response.text();
    expect(gateway.asked()[0]?.json).toEqual(validRequest);
    expect(gateway.asked()[0]?.headers['content-encoding']).toBeUndefined();
  });
});

describe('the request to the provider', () => {
  test('has the same body byte for byte when nothing must change', async () => {
    gateway = await start();
    const odd = `{ "model":"gpt-5.1",\n "instructions":"\\u00e9", "input":[ {"role":"user","content":"hi"} ] ,"stream":true,"store":false,"x":1.0}`;
    await (await gateway.ask(odd)).text();
    expect(gateway.asked()[0]?.body.toString()).toBe(odd);
  });

  test('has no system role and no sampling parameters, is streamed and not stored', async () => {
    gateway = await start();
    const response = await gateway.ask(
      {
        model: 'gpt-5.1',
        input: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
        ],
        temperature: 0.5,
        max_output_tokens: 32_000,
        metadata: { a: 'b' },
        service_tier: 'flex',
      },
      { path: '/v1/responses' },
    );
    expect(response.status).toBe(200);
    const { json } = gateway.asked()[0] ?? {};
    expect(json).toEqual({
      model: 'gpt-5.1',
      input: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      service_tier: 'flex',
      stream: true,
      store: false,
    });
  });

  test('has the headers of the account and listed headers of the client', async () => {
    gateway = await start();
    const headers = {
      originator: 'codex_exec',
      'session-id': 's1',
      'x-codex-window-id': 'w',
      'x-codex-installation-id': 'secret machine',
      'x-forwarded-for': '10.0.0.1',
      cookie: 'a=b',
      'x-custom': 'no',
    };
    await (await gateway.ask(validRequest, { headers })).text();
    const sent = gateway.asked()[0]?.headers ?? {};
    const [only] = gateway.pool;
    expect(sent).toMatchObject({ originator: 'codex_exec', 'session-id': 's1', 'x-codex-window-id': 'w' });
    expect(sent.authorization).toBe(`Bearer ${only?.at.tokens.current().accessToken}`);
    expect(sent['chatgpt-account-id']).toBe(only?.at.id);
    for (const name of ['x-codex-installation-id', 'x-forwarded-for', 'cookie', 'x-custom']) {
      expect(sent[name]).toBeUndefined();
    }
  });

  test("names the region of the account's token instead of the client's, and the attempt records it", async () => {
    gateway = await start();
    const headers = {
      'x-openai-internal-codex-residency': 'us',
      'x-openai-fedramp': 'true',
      'x-openai-subagent': 'review',
    };
    const [only] = gateway.pool;
    if (!only) throw new Error('no account');
    await (await gateway.ask(validRequest, { headers })).text();
    only.at.residency = 'eu';
    only.at.expireAccessToken();
    await (await gateway.ask(validRequest, { headers })).text();
    const sent = gateway.asked().map((request) => request.headers);
    expect(sent.map((one) => one['x-openai-internal-codex-residency'])).toEqual([undefined, undefined, 'eu']);
    expect(sent.map((one) => one['x-openai-fedramp'])).toEqual([undefined, undefined, undefined]);
    expect(sent.map((one) => one['x-openai-subagent'])).toEqual(['review', 'review', 'review']);
    const attempts = gateway.events('RequestCompleted').flatMap(({ data }) => data.attempts);
    expect(attempts.map(({ outcome, region }) => [outcome === 'ok', region])).toEqual([
      [true, undefined],
      [false, undefined],
      [true, 'eu'],
    ]);
  });

  test('contains items in place of references, and no unknown references', async () => {
    gateway = await start();
    const first = (await (await gateway.ask({ model: 'gpt-5.1', input: 'hi' }, { path: '/v1/responses' })).json()) as {
      output: { id: string }[];
    };
    const [item] = first.output;
    const input = [
      { type: 'item_reference', id: item?.id },
      { type: 'item_reference', id: 'msg_unknown' },
      { role: 'user', content: 'go on' },
    ];
    await (await gateway.ask({ model: 'gpt-5.1', input }, { path: '/v1/responses' })).text();
    expect(gateway.asked()[1]?.json).toMatchObject({ input: [item, { role: 'user', content: 'go on' }] });
  });
});

describe('paths', () => {
  test('serves the paths of Codex like its own', async () => {
    gateway = await start();
    for (const path of ['/backend-api/codex/responses', '/backend-api/svc/responses/']) {
      const response = await gateway.ask(validRequest, { path });
      expect(response.status).toBe(200);
      await response.text();
    }
    expect(await gateway.logs()).toMatchObject([
      { route: '/backend-api/svc/responses' },
      { route: '/backend-api/svc/responses' },
    ]);
  });

  test('does not serve them with aliases disabled', async () => {
    gateway = await start({ env: { SVC_CODEX_ALIASES: 'false' } });
    expect((await gateway.ask(validRequest, { path: '/backend-api/codex/responses' })).status).toBe(404);
  });

  test('responds to an unknown path with 404 and a JSON error', async () => {
    gateway = await start();
    const response = await fetch(`${gateway.url}/v1/unknown`);
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toMatchObject({ code: 'not_found', type: 'invalid_request_error' });
  });

  test('responds to a websocket upgrade with 426', async () => {
    gateway = await start();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${gateway.url}/backend-api/svc/responses`, {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'x',
        },
      });
      request.on('response', (response) => resolve(response.statusCode));
      request.on('error', reject);
      request.end();
    });
    expect(status).toBe(426);
  });
});
