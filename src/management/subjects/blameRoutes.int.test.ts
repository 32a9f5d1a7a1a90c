import { expect, test } from 'vitest';
import { sharedManagement } from '../../../test/support/management.ts';

const stage = sharedManagement();
const create = async (name: string) => (await stage().call('POST', '/api/api-keys', { body: { name } })).body;

test('names the events of a resource that its editor shows, now and at an earlier moment', async () => {
  const key = await create('first');
  const before = stage().hot.state.position;
  await stage().call('PATCH', `/api/api-keys/${key.id}`, { body: { name: 'second' } });
  const nameAt = async (query: string) => {
    const { status, body } = await stage().call('GET', `/api/blame/apiKey-${key.id}${query}`);
    expect(status).toBe(200);
    return body.fields.find(({ path }: { path: string }) => path === '/name');
  };
  expect(await nameAt('')).toMatchObject({
    value: 'second',
    type: 'ApiKeyRenamed',
    position: stage().hot.state.position,
    actor: { kind: 'operator', address: '127.0.0.1' },
  });
  expect(await nameAt(`?at=${before}`)).toMatchObject({ value: 'first', type: 'ApiKeyCreated', position: before });
});

test.each(['nothing', 'apiKey-unknown', 'request-unknown', 'node-test', 'twin'])(
  'answers 404 for %s, which it cannot blame on events',
  async (subject) => {
    await create('twin');
    await create('twin');
    const { status, body } = await stage().call('GET', `/api/blame/${subject}`);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  },
);
