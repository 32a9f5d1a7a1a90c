import { expect, test } from 'vitest';
import { completed, sharedManagement, startManagement } from '../../../test/support/management.ts';
import { endpointsOf } from './describeRoute.ts';

const shared = sharedManagement();
const messageOf = ({ body }: { readonly body: { readonly error: { readonly message: string } } }) => body.error.message;

test('refuses a parameter that a route does not declare, on every route of the API', async () => {
  const { management, call } = shared();
  const { endpoints } = endpointsOf(management);
  expect(endpoints.length).toBeGreaterThan(40);
  expect(endpoints.filter(({ isQueryOpen }) => isQueryOpen).map(({ path }) => path)).toEqual([
    // OpenID providers add parameters of their own.
    '/api/dashboard-auth/oidc/callback',
    // Scrapers add parameters as they are told to.
    '/metrics',
  ]);
  for (const { method, path, isQueryOpen } of endpoints.filter((endpoint) => endpoint.path.startsWith('/api/'))) {
    if (isQueryOpen) continue;
    const { status, body } = await call(method.toUpperCase(), `${path.replaceAll(/\{\w+\}/g, '1')}?nonsense=1`);
    expect([path, status, body?.error.code]).toEqual([path, 400, 'validation_error']);
    expect(body.error.message).toMatch(/^nonsense is not a query parameter of this path, /);
  }
});

test.each([
  ['/api/request-logs?operatorName=a', 'operatorName', 'whose parameters are '],
  ['/api/request-logs?apiKeyIdd=a', 'apiKeyIdd', 'the nearest one is apiKeyId'],
  ['/api/request-logs?acountId=a', 'acountId', 'the nearest one is accountId'],
  ['/api/request-logs?Limit=5', 'Limit', 'the nearest one is limit'],
  ['/api/request-logs/options?search=x', 'search', 'whose parameters are '],
  ['/api/history?subjects=a', 'subjects', 'the nearest one is subject'],
  ['/api/accounts?status=active', 'status', 'whose parameters are at'],
  ['/api/status?a=b', 'a', 'which has none'],
  ['/api/request-logs?limit=5&=x', 'A parameter without a name', 'whose parameters are '],
  ['/api/request-logs?__proto__=1', '__proto__', 'whose parameters are '],
  ['/api/request-logs?constructor', 'constructor', 'whose parameters are '],
  ['/api/request-logs?%1b%5b2Jlimit=1', '\ufffd[2Jlimit', 'whose parameters are '],
  ['/api/request-logs?%1blimit=1', '\ufffdlimit', 'the nearest one is limit'],
])('%s is refused by name, with the nearest one or all', async (path, name, nearest) => {
  const response = await shared().call('GET', path);
  expect([response.status, response.body.error.code]).toEqual([400, 'validation_error']);
  expect(messageOf(response)).toContain(`${name} is not a query parameter of this path, ${nearest}`);
});

test('refuses an unknown parameter behind a thousand known ones', async () => {
  const query = `${'status=a&'.repeat(1_200)}operatorName=b`;
  expect(messageOf(await shared().call('GET', `/api/request-logs?${query}`))).toMatch(/^operatorName is not/);
});

test('heeds a filter behind a thousand others', async () => {
  const stage = await startManagement();
  await stage.append(completed({ status: 'error' }));
  const totalOf = async (query: string) => (await stage.call('GET', `/api/request-logs?${query}`)).body.total;
  expect(await totalOf(`${'status=a&'.repeat(1_200)}status=b`)).toBe(0);
  expect(await totalOf(`${'status=a&'.repeat(1_200)}status=error`)).toBe(1);
});

test('changes nothing when the query is not valid', async () => {
  const stage = await startManagement();
  const { position } = stage.hot.state;
  expect((await stage.call('POST', '/api/firewall/ips?dry=1', { body: { ip_address: '10.0.0.1' } })).status).toBe(400);
  expect(stage.hot.state.position).toBe(position);
});

test.each([
  ['/api/dashboard/trends?hours=2&step_minutes=30', 30],
  ['/api/dashboard/trends?hours=2&stepMinutes=30', 30],
])('%s is heeded in either spelling', async (path, minutes) =>
  expect((await shared().call('GET', path)).body).toMatchObject({ step_minutes: minutes }),
);

test('merges the values of both spellings of a list, and refuses both of a single value', async () => {
  const { call } = shared();
  const path = '/api/request-logs?accountId=a&account_id=b';
  expect((await call('GET', path)).status).toBe(200);
  for (const twice of [
    '/api/oauth/status?flowId=a&flow_id=b',
    '/api/accounts?at=1&at=1',
    '/api/dashboard/trends?step_minutes=30&stepMinutes=30',
  ])
    expect(messageOf(await call('GET', twice))).toMatch(/^(flowId|at|step_minutes) is given twice$/);
});

test('leaves the query of a health check to the client', async () =>
  expect((await shared().call('GET', '/health?probe=1&_=2')).status).toBe(200));

test('names an unknown path rather than its parameters', async () =>
  expect((await shared().call('GET', '/api/nothing?x=1')).body.error.code).toBe('not_found'));
