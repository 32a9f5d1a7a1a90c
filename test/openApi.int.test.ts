import { once } from 'node:events';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { JobControl } from '../src/lib/jobs/jobRunner.ts';
import { endpointsOf } from '../src/management/http/describeRoute.ts';
import { proxyRoutes } from '../src/proxy/routes/routes.ts';
import { newAuthenticator } from './support/authenticator.ts';
import { authFile } from './support/authFiles.ts';
import { codeAt } from './support/browser.ts';
import { startGateway, validRequest } from './support/gateway.ts';
import { startManagement } from './support/management.ts';
import { signInAt } from './support/provider/client.ts';

interface Operation {
  operationId: string;
  summary: string;
  parameters?: { name: string; in: string }[];
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

let gateway: Awaited<ReturnType<typeof startGateway>>;
let document: Document;
beforeAll(async () => {
  gateway = await startGateway();
  document = (await gateway.api('GET', '/api/openapi.json')).body;
});
afterAll(() => gateway.stop());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );

const validators = new Map<unknown, z.ZodType>();

/** Validates against a schema of the document, as a client that knows nothing but the document. */
function validator(schema: unknown): z.ZodType {
  const known = validators.get(schema);
  if (known) return known;
  const $defs = Object.fromEntries([...namesIn(schema)].map((name) => [name, document.components.schemas[name]]));
  const text = JSON.stringify({ ...(schema as object), $defs });
  const created = z.fromJSONSchema(JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/')));
  validators.set(schema, created);
  return created;
}

/** The schemas that a schema refers to, and those refer to. */
function namesIn(schema: unknown, names = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (names.has(name)) continue;
    names.add(name);
    namesIn(document.components.schemas[name], names);
  }
  return names;
}

interface LiveResponse {
  status: number;
  type: string;
  text: string;
}
let cookie = '';
async function callAndRead(method: string, path: string, body?: unknown): Promise<LiveResponse> {
  const response = await fetch(gateway.url + path, {
    method,
    headers: {
      ...(cookie && { cookie }),
      ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
    },
    redirect: 'manual',
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  for (const set of response.headers.getSetCookie()) cookie = set.split(';')[0] ?? '';
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  const text = path === '/api/live' ? await firstEvent(response) : await response.text();
  return { status: response.status, type, text };
}

/** The first event of a stream that does not end by itself. */
async function firstEvent(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!text.includes('\n\n')) text += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  return text;
}

const eventsOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice(6)));

/** Checks a response against its description in the document. @returns its body */
function check(name: string, { status, type, text }: LiveResponse): unknown {
  const [method = '', path = ''] = name.split(' ');
  const described = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  expect(described, `${name} responded with ${status}: ${text}`).toBeDefined();
  if (!described?.content) {
    expect(text).toBe('');
    return undefined;
  }
  const { schema } = described.content[type] ?? {};
  expect(schema, `${name} responded with ${type}`).toBeDefined();
  const values =
    type === 'text/event-stream' ? eventsOf(text) : [type === 'application/json' ? JSON.parse(text) : text];
  expect(values.length).toBeGreaterThan(0);
  for (const value of values) {
    const result = validator(schema).safeParse(value);
    expect(result.error?.issues ?? [], `${name}: ${JSON.stringify(value).slice(0, 500)}`).toEqual([]);
  }
  return values[0];
}

test('documents every route of management and proxy', async () => {
  const stage = await startManagement();
  const { endpoints, undocumented } = endpointsOf(stage.management);
  expect(undocumented, 'give these routes a describeRoute(...), see src/management/http/describeRoute.ts').toEqual([]);
  const routes = [
    ...endpoints.map(({ method, path }) => `${method.toUpperCase()} ${path}`),
    ...[...proxyRoutes.values()].map(({ method, path }) => `${method} ${path}`),
  ];
  expect(
    operations()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(routes.sort());
});

test('has unique operation ids and no dangling references', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
  const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(references.filter((reference) => !known.includes(reference ?? ''))).toEqual([]);
  expect(JSON.stringify(document)).not.toMatch(/__schema|"\$defs"/);
});

test('gives the bounds of the limits and models of a key', () => {
  for (const name of ['post /api/api-keys', 'patch /api/api-keys/{id}']) {
    const [method = '', path = ''] = name.split(' ');
    const text = JSON.stringify(document.paths[path]?.[method]);
    expect([name, text.match(/"maxItems":100/g)?.length, /"maxLength":128/.test(text)]).toEqual([name, 2, true]);
  }
});

test('returns what the document describes from every endpoint', async () => {
  const called = new Set<string>();
  // biome-ignore lint/suspicious/noExplicitAny: each response has its own fields
  const call = async (name: string, parameters: Record<string, string> = {}, body?: unknown): Promise<any> => {
    const [method = '', path = ''] = name.split(' ');
    const [bare = '', query] = path.split('?');
    const filled = bare.replace(/\{(\w+)\}/g, (_, parameter) => encodeURIComponent(parameters[parameter] ?? ''));
    const response = await callAndRead(method, query ? `${filled}?${query}` : filled, body);
    expect(response.status, `${name}: ${response.text}`).toBeLessThan(400);
    called.add(`${method} ${bare}`);
    return check(`${method} ${bare}`, response);
  };

  await call('GET /health');
  await call('GET /metrics');
  await call('GET /live');
  await call('GET /ready');
  await call('GET /api/openapi.json');
  const limits = [
    { limit_type: 'cost_usd', limit_window: 'monthly', max_value: 5, model_filter: null },
    { limit_type: 'total_tokens', limit_window: 'daily', max_value: 5_000_000 },
  ];
  const key = await call('POST /api/api-keys', {}, { name: 'one', limits, expires_at: '2999-01-01' });
  await call('PATCH /api/api-keys/{id}', { id: key.id }, { allowed_models: [validRequest.model] });
  await call('POST /api/api-keys/{id}/regenerate', { id: key.id });
  await call('POST /backend-api/svc/responses', {}, validRequest);
  await call('POST /v1/responses', {}, { model: validRequest.model, input: 'hi' });
  await call('POST /v1/responses', {}, { model: validRequest.model, input: 'hi', stream: true });
  await call('POST /backend-api/svc/responses/compact', {}, validRequest);
  await call('POST /v1/responses/compact', {}, { model: validRequest.model, input: 'hi' });
  const chat = { model: validRequest.model, messages: [{ role: 'user', content: 'hi' }] };
  await call('POST /v1/chat/completions', {}, chat);
  await call('POST /v1/chat/completions', {}, { ...chat, stream: true, stream_options: { include_usage: true } });
  const recording = new FormData();
  recording.set('file', new Blob(['sound']), 'a.wav');
  await call('POST /backend-api/transcribe', {}, recording);
  recording.set('model', 'gpt-4o-transcribe');
  await call('POST /v1/audio/transcriptions', {}, recording);
  await call('GET /v1/models');
  await call('GET /backend-api/svc/models');
  await call('GET /v1/models/{id}', { id: 'gpt-5.5' });
  await call('GET /api/svc/usage');
  for (const surface of ['/backend-api', '/backend-api/svc']) {
    await call(`GET ${surface}/wham/accounts/check`);
    await call(`GET ${surface}/wham/config/bundle`);
    await call(`GET ${surface}/wham/config/requirements`);
  }
  await call('GET /backend-api/svc/wham/usage');
  await call('GET /api/api-keys');
  await call('GET /api/api-keys?at=1');
  const team = await call('POST /api/teams', {}, { name: 'search', limits });
  await call('PATCH /api/teams/{id}', { id: team.id }, { name: 'ads', reset_usage: true });
  await call('PATCH /api/api-keys/{id}', { id: key.id }, { owner: 'Ada L', team: team.id });
  await call('PATCH /api/owners/{owner}', { owner: 'Ada L' }, { limits });
  for (const at of ['', '?at=1']) {
    await call(`GET /api/teams${at}`);
    await call(`GET /api/owners${at}`);
  }
  await call('GET /api/teams/{id}', { id: team.id });
  await call('GET /api/teams/{id}/members', { id: team.id });
  await call('GET /api/owners/{owner}', { owner: 'Ada L' });
  await call('GET /api/owners/{owner}/requests', { owner: 'Ada L' });
  await call('DELETE /api/api-keys/{id}', { id: key.id });
  await call('DELETE /api/teams/{id}', { id: team.id });

  await call('GET /api/clock');
  await call('GET /api/clock?at=1');
  await call('POST /api/clock/accept');

  await call('POST /api/firewall/ips', {}, { ip_address: '::1' });
  await call('GET /api/firewall/ips');
  await call('DELETE /api/firewall/ips/{ip}', { ip: '::1' });

  const settings = await call('GET /api/settings');
  await call('PUT /api/settings', {}, { ...settings, sticky_threads_enabled: false });

  const form = new FormData();
  form.set('auth_json', new Blob([JSON.stringify(authFile())]), 'auth.json');
  const account = await call('POST /api/accounts/import', {}, form);
  await call('GET /api/accounts');
  await call('PATCH /api/accounts/{id}', { id: account.account_id }, { proxy: 'http://user:password@proxy.test:3128' });
  await call('PATCH /api/accounts/{id}', { id: account.account_id }, { proxy: null });
  await call('POST /api/accounts/{id}/pause', { id: account.account_id });
  await call('POST /api/accounts/{id}/reactivate', { id: account.account_id });
  await call('GET /api/accounts/trends');
  await call('GET /api/accounts/{id}/trends', { id: account.account_id });

  const flow = await call('POST /api/oauth/start', {}, {});
  const callbackUrl = await signInAt(flow.authorizationUrl, gateway.provider.addAccount());
  await call('POST /api/oauth/manual-callback', {}, { callbackUrl, flowId: flow.flowId });
  const device = await call('POST /api/oauth/start', {}, { forceMethod: 'device' });
  await call('GET /api/oauth/status');
  await call(`GET /api/oauth/status?flowId=${flow.flowId}`);
  await call('POST /api/oauth/complete', {}, { flowId: device.flowId });
  await call('POST /api/oauth/cancel', {}, { flowId: device.flowId });

  const { requests: logged } = await call('GET /api/request-logs');
  await call('GET /api/requests/{id}/explain', { id: logged[0].request_id });
  await call('GET /api/blame/{subject}', { subject: 'settings-main' });
  await call('GET /api/request-logs/options');
  await call('POST /api/request-logs/exports', {}, { format: 'csv' });
  await call('GET /api/usage/summary');
  await call('GET /api/usage/history');
  await call('GET /api/usage/trends');
  await call('GET /api/usage/window');
  await call('GET /api/usage/breakdown');
  await call('GET /api/dashboard/overview');
  await call('GET /api/dashboard/trends');
  await call('GET /api/models');
  await call('GET /api/live');
  await call('DELETE /api/accounts/{id}', { id: account.account_id });

  await call('GET /api/dashboard-auth/session');
  await call('GET /api/dashboard-auth/oidc/start');
  await call('GET /api/dashboard-auth/oidc/callback?state=1&session_state=2');
  const password = 'correct horse';
  await call('POST /api/dashboard-auth/password/setup', {}, { password });
  await call('POST /api/dashboard-auth/password/login', {}, { password });
  await call(
    'POST /api/dashboard-auth/password/change',
    {},
    { currentPassword: password, newPassword: 'battery staple' },
  );
  const headers = { 'content-type': 'application/json' };
  const otherSession = { method: 'POST', headers, body: JSON.stringify({ password: 'battery staple' }) };
  await fetch(`${gateway.url}/api/dashboard-auth/password/login`, otherSession);
  await call('GET /api/status');
  const { sessions } = await call('GET /api/sessions');
  const other = sessions.find(({ is_current }: { is_current: boolean }) => !is_current);
  await call('DELETE /api/sessions/{id}', { id: other.session_id });
  await call('DELETE /api/sessions');
  const { secret, setupToken } = await call('POST /api/dashboard-auth/totp/setup/start');
  const now = Date.now();
  await call(
    'POST /api/dashboard-auth/totp/setup/confirm',
    {},
    { setupToken, code: await codeAt(secret, now as never) },
  );
  await call('POST /api/dashboard-auth/totp/verify', {}, { code: await codeAt(secret, (now + 30_000) as never) });
  await call('POST /api/dashboard-auth/totp/disable');
  await call('POST /api/dashboard-auth/logout');
  await call('POST /api/dashboard-auth/password/login', {}, { password: 'battery staple' });
  const person = { name: 'Ada', email: 'ada@example.com', role: 'administrator' };
  const ada = await call('POST /api/operators', {}, person);
  await call('GET /api/operators');
  await call('GET /api/operators/{id}', { id: ada.id });
  const { invitation_url } = await call('POST /api/operators/{id}/invitation', { id: ada.id });
  const [, token] = invitation_url.split('#');
  await call('POST /api/dashboard-auth/invitation', {}, { token });
  await call('POST /api/dashboard-auth/invitation/passkey/start', {}, { token });
  const builtIn = cookie;
  await call('POST /api/dashboard-auth/invitation/accept', {}, { token, password: 'correct horse' });
  await call('POST /api/dashboard-auth/login', {}, { login: 'ADA@example.com', password: 'correct horse' });
  await call('POST /api/dashboard-auth/reauthenticate', {}, { password: 'correct horse' });
  const { origin } = await call('GET /api/dashboard-auth/passkeys/relying-party');
  const [phone, laptop] = [newAuthenticator({ origin }), newAuthenticator({ origin })];
  const passkeyIds = [];
  for (const authenticator of [phone, laptop]) {
    const { challengeToken, publicKey } = await call('POST /api/dashboard-auth/passkeys/registration/start');
    const credential = authenticator.create(publicKey);
    const { id } = await call('POST /api/dashboard-auth/passkeys', {}, { challengeToken, credential, name: 'Phone' });
    passkeyIds.push(id);
  }
  const start = await call('POST /api/dashboard-auth/passkeys/sign-in/start');
  const assertion = { challengeToken: start.challengeToken, credential: phone.get(start.publicKey) };
  await call('POST /api/dashboard-auth/passkeys/sign-in', {}, assertion);
  await call('POST /api/dashboard-auth/passkeys/reauthentication/start');
  await call('PATCH /api/dashboard-auth/passkeys/{id}', { id: passkeyIds[0] }, { name: 'Laptop' });
  await call('GET /api/dashboard-auth/passkeys');
  await call('DELETE /api/dashboard-auth/passkeys/{id}', { id: passkeyIds[1] });
  const started = await call('POST /api/dashboard-auth/totp/setup/start');
  const code = await codeAt(started.secret, now as never);
  const confirm = { setupToken: started.setupToken, code };
  const { recoveryCodes } = await call('POST /api/dashboard-auth/totp/setup/confirm', {}, confirm);
  await call('GET /api/dashboard-auth/session');
  await call('POST /api/dashboard-auth/login', {}, { login: 'Ada', password: 'correct horse' });
  await call('POST /api/dashboard-auth/recovery/verify', {}, { code: recoveryCodes[0] });
  await call('POST /api/dashboard-auth/recovery/codes');
  const made = await call('POST /api/tokens', {}, { name: 'deploy', role: 'operator', expires_at: '2999-01-01' });
  await call('GET /api/tokens');
  await call('GET /api/profile');
  await call('GET /api/tokens/{id}', { id: made.id });
  await call('DELETE /api/tokens/{id}', { id: made.id });
  cookie = builtIn;
  await call('POST /api/dashboard-auth/password/login', {}, { password: 'battery staple' });
  await call('PATCH /api/operators/{id}', { id: ada.id }, { role: 'auditor', is_active: false });
  await call('DELETE /api/operators/{id}/totp', { id: ada.id });
  await call('DELETE /api/operators/{id}/passkeys/{passkeyId}', { id: ada.id, passkeyId: passkeyIds[0] });
  await call('DELETE /api/operators/{id}', { id: ada.id });
  await call('POST /api/operators/{id}/forget', { id: ada.id });
  await call('DELETE /api/dashboard-auth/password', {}, { password: 'battery staple' });

  // Everything above as the history shows it: every event type and actor type.
  let page = await call('GET /api/history?limit=200');
  const positions: number[] = page.events.map(({ position }: { position: number }) => position);
  while (page.next_cursor) {
    page = await call(`GET /api/history?limit=200&cursor=${page.next_cursor}`);
    positions.push(...page.events.map(({ position }: { position: number }) => position));
  }
  for (const position of positions) await call('GET /api/history/{position}', { position: String(position) });

  const { requests } = await call('GET /api/request-logs?limit=1');
  await call('GET /api/receipts/{requestIdOrPosition}', { requestIdOrPosition: requests[0].request_id });
  await call('GET /api/integrity');
  await call('GET /api/log/checkpoint');
  // A path of several segments is one parameter.
  check('GET /api/log/tile/{path}', await callAndRead('GET', '/api/log/tile/0/000.p/1'));
  called.add('GET /api/log/tile/{path}');

  const { id: archiveJob } = await call('POST /api/archives', {}, { until: '2020-01-01' });
  await vi.waitFor(async () => {
    const { state } = JSON.parse((await callAndRead('GET', `/api/jobs/${archiveJob}`)).text);
    expect(state).toBe('done');
  }, 30_000);
  await call('GET /api/archives');
  await call('GET /api/callers/months');
  await call('GET /api/callers/deleted-keys');
  await call('POST /api/callers/forget', {}, { until: '2020-01' });
  // No day of this log is over.
  check('POST /api/archives/{day}/restore', await callAndRead('POST', '/api/archives/2020-01-01/restore'));
  called.add('POST /api/archives/{day}/restore');

  const { id: evidenceJob } = await call('POST /api/evidence', {}, { types: ['ApiKeyCreated'] });
  const evidence = await vi.waitFor(async () => {
    const { result } = JSON.parse((await callAndRead('GET', `/api/jobs/${evidenceJob}`)).text);
    expect(result).not.toBeNull();
    return result;
  }, 30_000);
  await call('GET /api/evidence/{id}', { id: evidence.evidence_id });

  const { id: replay } = await call('POST /api/replays', {}, { what_if: { strategy: 'round_robin' } });
  const replayed = () => call('GET /api/replays/{id}', { id: replay });
  await vi.waitUntil(async () => (await replayed()).report !== null, 30_000);
  await call('GET /api/replays');
  await call('GET /api/replays/{id}/csv', { id: replay });
  await call('DELETE /api/replays/{id}', { id: replay });

  await call('POST /api/integrity/verify', {}, { from: 1 });
  await call('GET /api/jobs');
  await call('GET /api/alerts');
  const webhook = await call('POST /api/alerts/webhooks', {}, { name: 'on call', url: 'http://127.0.0.1:1/hook' });
  await call('GET /api/alerts/webhooks');
  await call('GET /api/alerts/webhooks?at=1');
  await call('POST /api/alerts/webhooks/{id}/test', { id: webhook.id });
  await call('DELETE /api/alerts/webhooks/{id}', { id: webhook.id });
  const hold = await call('POST /api/holds', {}, { reason: 'case 7', subject: 'apiKey-1', from: '2026-01-01' });
  await call('GET /api/holds');
  await call('GET /api/holds?at=1');
  await call('DELETE /api/holds/{id}', { id: hold.id }, { reason: 'case 7 is closed' });
  const stage = await startManagement();
  const run = ({ signal }: JobControl) => once(signal, 'abort').then(() => Promise.reject(signal.reason));
  const { id: job } = stage.jobs.start({ kind: 'verify', actor: { kind: 'anonymous' }, run });
  for (const method of ['GET', 'DELETE']) {
    const { status, text } = await stage.call(method, `/api/jobs/${job}`);
    check(`${method} /api/jobs/{id}`, { status, type: 'application/json', text });
    called.add(`${method} /api/jobs/{id}`);
  }

  expect([...called].sort(), 'give this test a call of the new endpoint').toEqual(
    operations()
      .map(({ name }) => name)
      .sort(),
  );
}, 60_000);

test('returns errors as the document describes', async () => {
  cookie = '';
  const refused: [name: string, path: string, body?: unknown][] = [
    ['POST /api/api-keys', '/api/api-keys', { name: '' }],
    ['PATCH /api/api-keys/{id}', '/api/api-keys/unknown', {}],
    ['POST /api/teams', '/api/teams', { name: '' }],
    ['GET /api/teams/{id}', '/api/teams/unknown'],
    ['PATCH /api/teams/{id}', '/api/teams/unknown', {}],
    ['DELETE /api/teams/{id}', '/api/teams/unknown'],
    ['GET /api/owners/{owner}', '/api/owners/unknown'],
    ['PATCH /api/owners/{owner}', '/api/owners/unknown', { limits: 1 }],
    ['GET /api/owners/{owner}/requests', '/api/owners/unknown/requests'],
    ['POST /api/firewall/ips', '/api/firewall/ips', { ip_address: 'x' }],
    ['DELETE /api/firewall/ips/{ip}', '/api/firewall/ips/10.0.0.1'],
    ['PATCH /api/accounts/{id}', '/api/accounts/unknown', { proxy: null }],
    ['PATCH /api/accounts/{id}', '/api/accounts/unknown', { proxy: 'ftp://proxy.test' }],
    ['POST /api/accounts/{id}/pause', '/api/accounts/unknown/pause'],
    ['PUT /api/settings', '/api/settings', {}],
    ['POST /api/oauth/start', '/api/oauth/start', { forceMethod: 'pigeon' }],
    ['POST /api/oauth/start', '/api/oauth/start', { accountId: 'unknown' }],
    ['GET /api/oauth/status', '/api/oauth/status?flowId=unknown'],
    ['POST /api/oauth/complete', '/api/oauth/complete', { flowId: 'unknown' }],
    ['POST /api/oauth/manual-callback', '/api/oauth/manual-callback', { callbackUrl: 'http://127.0.0.1/?code=1' }],
    ['POST /api/oauth/cancel', '/api/oauth/cancel', { flowId: 'unknown' }],
    ['GET /api/history', '/api/history?limit=0'],
    ['GET /api/history/{position}', '/api/history/999999'],
    ['GET /api/receipts/{requestIdOrPosition}', '/api/receipts/0'],
    ['GET /api/log/tile/{path}', '/api/log/tile/0/0'],
    ['POST /api/archives', '/api/archives', { until: '2020-1-1' }],
    ['POST /api/evidence', '/api/evidence', { since: 'yesterday' }],
    ['GET /api/evidence/{id}', '/api/evidence/unknown'],
    ['POST /api/integrity/verify', '/api/integrity/verify', { from: 2, to: 1 }],
    ['POST /api/replays', '/api/replays', { what_if: { strategy: 'fastest' } }],
    ['GET /api/replays/{id}', '/api/replays/unknown'],
    ['GET /api/replays/{id}/csv', '/api/replays/unknown/csv'],
    ['DELETE /api/replays/{id}', '/api/replays/unknown'],
    ['POST /api/alerts/webhooks', '/api/alerts/webhooks', { name: 'on call', url: 'ftp://hooks.example' }],
    ['POST /api/alerts/webhooks/{id}/test', '/api/alerts/webhooks/unknown/test'],
    ['DELETE /api/alerts/webhooks/{id}', '/api/alerts/webhooks/unknown'],
    ['POST /api/holds', '/api/holds', { reason: '' }],
    ['DELETE /api/holds/{id}', '/api/holds/unknown', { reason: 'case 7 is closed' }],
    ['GET /api/jobs/{id}', '/api/jobs/unknown'],
    ['DELETE /api/jobs/{id}', '/api/jobs/unknown'],
    ['GET /api/request-logs', '/api/request-logs?limit=0'],
    ['POST /api/request-logs/exports', '/api/request-logs/exports', { format: 'xml' }],
    ['GET /api/requests/{id}/explain', '/api/requests/req_unknown/explain'],
    ['GET /api/blame/{subject}', '/api/blame/nothing'],
    ['GET /api/accounts', '/api/accounts?at=tomorrow'],
    ['POST /v1/responses', '/v1/responses', {}],
    ['POST /backend-api/svc/responses', '/backend-api/svc/responses', { model: 1 }],
    ['POST /v1/chat/completions', '/v1/chat/completions', { model: 'gpt-5.1', messages: [] }],
  ];
  for (const [name, path, body] of refused) {
    const response = await callAndRead(name.split(' ')[0] ?? '', path, body);
    expect(response.status, `${name}: ${response.text}`).toBeGreaterThanOrEqual(400);
    const { error } = check(name, response) as { error: { code: string } };
    const [method = '', route = ''] = name.split(' ');
    const { description } = document.paths[route]?.[method.toLowerCase()]?.responses[response.status] ?? {};
    expect(description?.split(', '), `${name} does not list the error code in its description`).toContain(error.code);
  }
});
