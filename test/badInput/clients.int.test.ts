import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { contentEncoding } from './requests/contentEncoding.ts';
import { cutJson } from './requests/cutJson.ts';
import { forbidden } from './requests/forbidden.ts';
import { nesting } from './requests/nesting.ts';
import { notJson } from './requests/notJson.ts';
import { type Keys, strangers } from './requests/strangers.ts';
import { wrongTypes } from './requests/wrongTypes.ts';
import { agentBody } from './support/agentBody.ts';
import { type BadRequest, onBothRoutes } from './support/badRequest.ts';
import { asked, complaintsOf, type Examined, examine, totalsOf } from './support/examine.ts';
import { differencesToLog } from './support/logged.ts';
import { createRandom } from './support/random.ts';

const random = createRandom(7);
const folder = mkdtempSync(join(tmpdir(), 'svc-bad-clients-'));
const all: Examined[] = [];
let gateway: Gateway;
let keys: Keys;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

beforeAll(async () => {
  gateway = await startGateway({ folder });
  keys = {
    good: (await createKey('good')).key,
    expired: (await createKey('expired', { expires_at: '2020-01-01T00:00:00Z' })).key,
    inactive: (await createKey('inactive')).key,
    deleted: (await createKey('deleted')).key,
    replaced: (await createKey('replaced')).key,
  };
  for (const { id, name } of (await gateway.api('GET', '/api/api-keys')).body) {
    if (name === 'inactive') await gateway.api('PATCH', `/api/api-keys/${id}`, { is_active: false });
    if (name === 'deleted') await gateway.api('DELETE', `/api/api-keys/${id}`);
    if (name === 'replaced') await gateway.api('POST', `/api/api-keys/${id}/regenerate`);
  }
  await gateway.set({ api_key_auth_enabled: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function createKey(name: string, more: Record<string, unknown> = {}) {
  const { status, body } = await gateway.api('POST', '/api/api-keys', { name, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { id: string; key: string };
}

test('a client without a key that counts is turned away before anything is read', { timeout: 30_000 }, async () => {
  const requests = strangers(keys);
  const problems: string[] = [];
  for (const request of requests) {
    const { examined, problems: found } = await examine(gateway, [request], {});
    all.push(...examined);
    problems.push(...found.filter((problem) => !problem.startsWith('after ')));
  }
  expect(problems).toEqual([]);
  expect(asked(gateway)).toBe(0);
});

test('a known client is refused for what is wrong, and each refusal is a row of its own', {
  timeout: 30_000,
}, async () => {
  const families = [cutJson(random), wrongTypes(), forbidden(), nesting(), notJson(), contentEncoding(random)];
  for (const [index, family] of families.entries()) {
    const { id, key } = await createKey(`family ${index}`);
    const { examined, problems } = await examine(gateway, sample(family, 25), bearer(key));
    all.push(...examined);
    expect(problems).toEqual([]);
    const rows = gateway.events('RequestRefused').filter(({ data }) => data.keyId === id);
    expect(rows.map(({ data }) => data.requestId)).toEqual(
      examined.map(({ answer }) => answer?.headers['x-request-id']),
    );
  }
});

/** A few of many, the same in every run. */
function sample(requests: readonly BadRequest[], count: number): BadRequest[] {
  const left = [...requests];
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0] as BadRequest);
}

test('a key may use its models only, however their names are spelled', async () => {
  const { key } = await createKey('one model', { allowed_models: ['gpt-5.1'] });
  const models = [
    'gpt-5',
    'GPT-5.1',
    ' gpt-5.1',
    'gpt-5.1 ',
    'gpt-5.1\u0000',
    'gpt-5.1-mini',
    '*',
    '__proto__',
    'm'.repeat(5_000),
  ];
  const requests = onBothRoutes(
    models.map((model) => ({
      name: `the model ${JSON.stringify(model).slice(0, 40)}`,
      body: JSON.stringify({ ...agentBody, model }),
      expected: { status: 403, code: 'model_not_allowed', param: null },
      isLogged: true,
    })),
  );
  const { examined, problems } = await examine(gateway, requests, bearer(key));
  all.push(...examined);
  expect(problems).toEqual([]);
});

test('nothing was said of it but what was answered', () => {
  expect(complaintsOf(gateway)).toEqual([]);
});

test('every refusal is in the log, and strangers are counted by address', async () => {
  await gateway.stop();
  expect(differencesToLog(gateway, all)).toEqual([]);
  const counted = gateway.events('RefusalsCounted').filter(({ data }) => data.address !== null);
  const strange = counted.reduce((sum, { data }) => sum + (data.counts.invalid_api_key ?? 0), 0);
  // One good request without a key after each.
  expect(strange).toBe(2 * strangers(keys).length);
  process.stdout.write(`refused with keys required: ${totalsOf(all)}\n`);
});
