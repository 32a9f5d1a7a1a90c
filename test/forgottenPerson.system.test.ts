import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveInProcess } from './durability/support/serveInProcess.ts';
import { tempDir } from './e2e/support/tempDir.ts';
import { OPERATOR_PASSWORD, secretOf } from './support/operators.ts';
import { startProvider } from './support/provider/provider.ts';

const SLOW = { timeout: 90_000 };
const ADDRESS = '203.0.113.77';
const USER_AGENT = 'Adas-Own-Browser/1';

/** Paths of the files below a folder that contain one of the texts. */
function filesWith(folder: string, texts: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return texts.some((text) => bytes.includes(text));
    });
}

test('leaves neither name nor address of a forgotten person in any file or response', SLOW, async () => {
  const provider = await startProvider();
  onTestFinished(() => provider.close());
  const folder = await tempDir('forgotten');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const env = { FIREWALL_TRUST_PROXY_HEADERS: 'true', FIREWALL_TRUSTED_PROXY_CIDRS: '127.0.0.1/32' };
  const service = serveInProcess({ folder: folder.path, provider, env });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const url = await service.listening();

  function client(headers: Record<string, string> = {}) {
    let cookie = '';
    return async (method: string, path: string, body?: unknown) => {
      const sent = { ...headers, cookie, ...(body !== undefined && { 'content-type': 'application/json' }) };
      const response = await fetch(url + path, {
        method,
        headers: sent,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      const text = await response.text();
      // biome-ignore lint/suspicious/noExplicitAny: tests read any field
      return { status: response.status, text, body: (text === '' ? {} : JSON.parse(text)) as any };
    };
  }
  const administrator = client();
  await administrator('POST', '/api/dashboard-auth/password/setup', { password: 'correct horse' });
  const person = { name: 'Ada Lovelace-Byron', email: 'ada.byron@analytical.example', role: 'member' };
  const { id, invitation_url } = (await administrator('POST', '/api/operators', person)).body;
  const ada = client({ 'x-forwarded-for': ADDRESS, 'user-agent': USER_AGENT });
  const accept = { token: secretOf(invitation_url), password: OPERATOR_PASSWORD };
  expect((await ada('POST', '/api/dashboard-auth/invitation/accept', accept)).status).toBe(200);
  const { id: keyId } = (await ada('POST', '/api/api-keys', { name: 'laptop' })).body;
  await ada('GET', '/api/history');
  // More often than the throttle allows.
  const wrong = { login: person.email, password: 'wrong horse' };
  for (let attempt = 0; attempt < 10; attempt++) await ada('POST', '/api/dashboard-auth/login', wrong);
  await administrator('PATCH', `/api/operators/${id}`, { name: 'Ada King-Noel' });
  const evidence = await administrator('POST', '/api/evidence', { actors: [`person:${id}`] });

  const actors = `actor=operator:${ADDRESS}&actor=session:none`;
  const byAddress = async () => (await administrator('GET', `/api/history?${actors}`)).body.events.length;
  expect(await byAddress()).toBeGreaterThan(0);
  expect((await administrator('POST', `/api/operators/${id}/forget`)).body).toEqual({ status: 'forgotten' });
  // The digest of the address alone must not confirm it.
  expect(await byAddress()).toBe(0);
  const { body, text } = await administrator('GET', `/api/history?actor=person:${id}&limit=200`);
  expect(body.events.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(['SessionBegun', 'ApiKeyCreated', 'ActionDenied']),
  );
  const texts = ['Lovelace', 'King-Noel', 'analytical.example', ADDRESS, USER_AGENT];
  for (const path of [
    '/api/operators',
    '/api/sessions',
    '/api/tokens',
    `/api/operators/${id}?at=${body.events[0].position}`,
    `/api/sessions?at=${body.events[0].position}`,
  ]) {
    const shown = (await administrator('GET', path)).text;
    expect(texts.filter((each) => shown.includes(each) || text.includes(each))).toEqual([]);
  }
  const blame = await administrator('GET', `/api/blame/apiKey-${keyId}`);
  expect([blame.status, texts.filter((each) => blame.text.includes(each))]).toEqual([200, []]);
  expect(evidence.status).toBe(202);

  const { stdout } = await service.stop();
  expect(filesWith(folder.path, texts)).toEqual([]);
  expect(texts.filter((each) => each !== ADDRESS && stdout.join('\n').includes(each))).toEqual([]);
});
