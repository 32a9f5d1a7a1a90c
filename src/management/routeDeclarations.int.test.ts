import { expect, test } from 'vitest';
import { startGateway } from '../../test/support/gateway.ts';
import { startManagement } from '../../test/support/management.ts';
import { roles as ROLES } from '../domain/operator/role.ts';
import { endpointsOf } from './http/describeRoute.ts';

const placesOf = async () => {
  const stage = await startManagement();
  const { endpoints } = endpointsOf(stage.management);
  expect(endpoints.length).toBeGreaterThan(60);
  return { stage, endpoints };
};

test('declares roles for every route, each once and in order, the administrator among them', async () => {
  const { endpoints } = await placesOf();
  const wrong = endpoints.filter(({ roles }) => {
    const inOrder = ROLES.filter((role) => roles?.includes(role));
    return roles?.[0] !== 'administrator' || String(roles) !== String(inOrder);
  });
  expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

test('lets an auditor change nothing but verifications, evidence, replays, exports and their own', async () => {
  const { endpoints } = await placesOf();
  const writes = endpoints.filter(
    ({ method, path, roles }) =>
      method !== 'get' && roles?.includes('auditor') && !/^\/api\/(dashboard-auth|sessions|tokens)\b/.test(path),
  );
  expect(writes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'delete /api/jobs/{id}',
    'delete /api/replays/{id}',
    'post /api/evidence',
    'post /api/integrity/verify',
    'post /api/replays',
    'post /api/request-logs/exports',
  ]);
});

test('lets auditors read everything', async () => {
  const { endpoints } = await placesOf();
  const closed = endpoints.filter(({ method, roles }) => method === 'get' && !roles?.includes('auditor'));
  expect(closed.map(({ path }) => path)).toEqual([]);
});

test('declares for every GET, and for no other route, whether it has a past', async () => {
  const { endpoints } = await placesOf();
  const wrong = endpoints.filter(({ method, at }) => (method === 'get') !== (at !== undefined));
  expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

test('refuses `at` with the declared reason where a GET has no past', async () => {
  const { stage, endpoints } = await placesOf();
  let refused = 0;
  for (const { method, path, at } of endpoints) {
    if (method !== 'get' || typeof at !== 'object') continue;
    const { status, body } = await stage.call('GET', `${path.replace(/\{\w+\}/g, '1')}?at=1`);
    expect([path, status, body.error.code], body.error.message).toEqual([path, 400, 'validation_error']);
    expect(body.error.message).toContain(`at has no past: ${at.none}`);
    refused += 1;
  }
  expect(refused).toBeGreaterThan(10);
});

test('refuses an `at` that is neither position nor time, and one beyond the log or the present', async () => {
  const { stage, endpoints } = await placesOf();
  const past = endpoints.filter(({ at }) => at === 'past');
  expect(past.length).toBeGreaterThan(6);
  for (const { path } of past) {
    for (const at of ['yesterday', '', '-1', '1.5', '99999999', '2999-01-01T00:00:00Z', '2026-02-30T00:00:00Z']) {
      const { status, body } = await stage.call('GET', `${path.replace(/\{\w+\}/g, '1')}?at=${at}`);
      expect([path, at, status, body.error?.code]).toEqual([path, at, 400, 'validation_error']);
      expect(body.error.message).toContain('at ');
    }
  }
});

test('shows the roles of every operation below /api/ in the OpenAPI document', async () => {
  const gateway = await startGateway();
  try {
    const { body } = await gateway.api('GET', '/api/openapi.json');
    const paths = Object.entries<Record<string, { 'x-svc-roles'?: string[]; security: unknown[] }>>(body.paths);
    const operations = paths
      .filter(([path]) => path.startsWith('/api/'))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
      );
    expect(operations.length).toBeGreaterThan(60);
    for (const { path, method, operation } of operations) {
      const roles = operation['x-svc-roles'] ?? [];
      expect([path, method, roles.length > 0]).toEqual([path, method, true]);
      expect(ROLES).toEqual(expect.arrayContaining(roles));
    }
    const { operation } = operations.find(({ path }) => path === '/api/dashboard-auth/password/login') ?? {};
    expect(operation?.['x-svc-roles']).toEqual(ROLES);
  } finally {
    await gateway.stop();
  }
});
