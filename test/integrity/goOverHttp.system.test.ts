import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startGateway, validRequest } from '../support/gateway.ts';
import { buildGoVerifier } from '../support/integrity/build.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const built = buildGoVerifier();
const REQUESTS = 300;

describe.skipIf('missing' in built)("Go's sumdb packages, over HTTP", () => {
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  const made: { readonly key: string; readonly ids: string[] }[] = [];

  beforeAll(async () => {
    gateway = await startGateway();
    const { body: settings } = await gateway.api('GET', '/api/settings');
    await gateway.api('PUT', '/api/settings', { ...settings, api_key_auth_enabled: true });
    for (const name of ['one', 'two']) {
      const { body } = await gateway.api('POST', '/api/api-keys', { name });
      made.push({ key: body.key, ids: [] });
    }
    for (let request = 0; request < REQUESTS; request += 1) {
      const { key, ids } = made[request % 2] as (typeof made)[number];
      const response = await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key}` } });
      await response.text();
      ids.push(response.headers.get('x-request-id') as string);
    }
  });
  afterAll(() => gateway?.stop());

  /** The service is in this process, which must not wait for the verifier synchronously. */
  const verify = (vkey: string, ...receipts: string[]) =>
    new Promise<string>((resolve) => {
      execFile('path' in built ? built.path : '', [gateway.url, vkey, ...receipts], (_error, stdout) =>
        resolve(stdout),
      );
    });

  const receipt = (key: number, id: number, of = key) => `${made[of]?.ids[id]}=${made[key]?.key}`;

  test('accept the checkpoint, tiles, bundles and receipts of a running service', async () => {
    // The receipt has a checkpoint signed that covers all requests.
    const last = made[1]?.ids.at(-1);
    expect((await gateway.api('GET', `/api/receipts/${last}`)).status).toBe(200);
    const { body } = await gateway.api('GET', '/api/integrity');
    expect(body.checkpoint.size).toBeGreaterThan(REQUESTS);
    expect(await verify(body.public_key, receipt(0, 0), receipt(1, 0), receipt(0, 140))).toBe(
      `intact: ${body.checkpoint.size} leaves, 3 receipts\n`,
    );
  });

  test("refuse another log's key, and get no receipt with another API key", async () => {
    const { body } = await gateway.api('GET', '/api/integrity');
    const otherName = body.public_key.replace(/^[^+]+/, 'svc/another');
    expect(await verify(otherName)).toMatch(/^FAILED: verifier key: /);
    expect(await verify(body.public_key, receipt(1, 0, 0))).toMatch(/^FAILED: receipt of req_\w+: .*404/);
  });

  test('have a receipt of a request right after its response', async () => {
    const [{ key }] = made as [(typeof made)[number]];
    const headers = { authorization: `Bearer ${key}` };
    const response = await gateway.ask(validRequest, { headers });
    await response.text();
    const id = response.headers.get('x-request-id');
    const { body } = await gateway.api('GET', '/api/integrity');
    const printed = await verify(body.public_key, `${id}=${key}`);
    expect(printed).toMatch(/^intact: \d+ leaves, 1 receipts\n$/);
  });
});
