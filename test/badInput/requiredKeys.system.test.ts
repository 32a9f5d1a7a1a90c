import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { createRandom } from '../support/random.ts';
import { contentEncoding } from './requests/contentEncoding.ts';
import { nesting } from './requests/nesting.ts';
import { notJson } from './requests/notJson.ts';
import { truncatedJson } from './requests/truncatedJson.ts';
import { type Keys, unauthenticated } from './requests/unauthenticated.ts';
import { unsupportedFields } from './requests/unsupportedFields.ts';
import { wrongTypes } from './requests/wrongTypes.ts';
import { agentBody } from './support/agentBody.ts';
import { type BadRequest, onBothRoutes } from './support/badRequest.ts';
import { differencesToLog } from './support/differencesToLog.ts';
import {
  reportsOf,
  type SentRequest,
  sendBadRequests,
  summaryOf,
  upstreamRequests,
} from './support/sendBadRequests.ts';

const random = createRandom(7);
const folder = mkdtempSync(join(tmpdir(), 'svc-bad-clients-'));
const all: SentRequest[] = [];
let gateway: Gateway;
let keys: Keys;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

beforeAll(async () => {
  gateway = await startGateway({ folder });
  keys = {
    valid: (await createKey('valid')).key,
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

test('rejects clients without a valid key before reading their requests', { timeout: 30_000 }, async () => {
  const requests = unauthenticated(keys);
  const problems: string[] = [];
  for (const request of requests) {
    const { sentRequests, problems: found } = await sendBadRequests(gateway, [request], {});
    all.push(...sentRequests);
    problems.push(...found.filter((problem) => !problem.startsWith('after ')));
  }
  expect(problems).toEqual([]);
  expect(upstreamRequests(gateway)).toBe(0);
});

test('rejects invalid requests with a valid key, and logs each refusal under its key', {
  timeout: 30_000,
}, async () => {
  const families = [
    truncatedJson(random),
    wrongTypes(),
    unsupportedFields(),
    nesting(),
    notJson(),
    contentEncoding(random),
  ];
  for (const [index, family] of families.entries()) {
    const { id, key } = await createKey(`family ${index}`);
    const { sentRequests, problems } = await sendBadRequests(gateway, sample(family, 25), bearer(key));
    all.push(...sentRequests);
    expect(problems).toEqual([]);
    const rows = gateway.events('RequestRefused').filter(({ data }) => data.keyId === id);
    expect(rows.map(({ data }) => data.requestId)).toEqual(
      sentRequests.map(({ response }) => response?.headers['x-request-id']),
    );
  }
});

/** A random selection, the same in every run. */
function sample(requests: readonly BadRequest[], count: number): BadRequest[] {
  const remaining = [...requests];
  return Array.from({ length: count }, () => remaining.splice(random.below(remaining.length), 1)[0] as BadRequest);
}

test('rejects models that a key does not allow, also similar names', async () => {
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
    'm'.repeat(200),
  ];
  const requests = onBothRoutes(
    models.map((model) => ({
      name: `the model ${JSON.stringify(model).slice(0, 40)}`,
      body: JSON.stringify({ ...agentBody, model }),
      expected: { status: 403, code: 'model_not_allowed', param: null },
      isLogged: true,
    })),
  );
  const { sentRequests, problems } = await sendBadRequests(gateway, requests, bearer(key));
  all.push(...sentRequests);
  expect(problems).toEqual([]);
});

test('reports nothing', () => {
  expect(reportsOf(gateway)).toEqual([]);
});

test('logs every refusal, and counts clients without a key by address', async () => {
  await gateway.stop();
  expect(differencesToLog(gateway, all)).toEqual([]);
  const counted = gateway.events('RefusalsCounted').filter(({ data }) => data.address !== null);
  const refusals = counted.reduce((sum, { data }) => sum + (data.counts.invalid_api_key ?? 0), 0);
  // `sendBadRequests` sends a valid body without a key after each.
  expect(refusals).toBe(2 * unauthenticated(keys).length);
  process.stdout.write(`rejected with required keys: ${summaryOf(all)}\n`);
});
