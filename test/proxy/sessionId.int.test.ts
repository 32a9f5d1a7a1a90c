import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';

let gateway: Gateway;
const keys: Record<string, string>[] = [];
beforeAll(async () => {
  gateway = await startGateway({ accounts: 2 });
  await gateway.set({ api_key_auth_enabled: true });
  for (const name of ['ada', 'bob']) {
    const { body } = await gateway.api('POST', '/api/api-keys', { name });
    keys.push({ authorization: `Bearer ${body.key}` });
  }
});
afterAll(() => gateway?.stop());

/** What the provider received as the session's id. */
async function sessionIdOf(fields: object, headers: Record<string, string> = {}, key = 0, path?: string) {
  const response = await gateway.ask(
    { ...validRequest, ...fields },
    { headers: { ...keys[key], ...headers }, ...(path && { path }) },
  );
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  return gateway.provider.received.at(-1)?.headers['session-id'];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('names a conversation to the provider that the client names without a session header', async () => {
  const first = await sessionIdOf({ prompt_cache_key: 'thread-1' });
  expect(first).toMatch(UUID);
  expect(await sessionIdOf({ prompt_cache_key: 'thread-1', model: 'gpt-5.5' })).toBe(first);
  expect(await sessionIdOf({ prompt_cache_key: 'thread-2' })).not.toBe(first);
  expect(await sessionIdOf({}, { 'x-session-affinity': 'thread-1' })).toBe(first);
});

test('names the same conversation of two keys differently', async () => {
  const [ada, bob] = [
    await sessionIdOf({ prompt_cache_key: 'shared' }, {}, 0),
    await sessionIdOf({ prompt_cache_key: 'shared' }, {}, 1),
  ];
  expect(bob).toMatch(UUID);
  expect(bob).not.toBe(ada);
});

test('keeps the name over a restart, and independently of sticky threads', async () => {
  const before = await sessionIdOf({ prompt_cache_key: 'thread-1' });
  await gateway.set({ sticky_threads_enabled: false });
  expect(await sessionIdOf({ prompt_cache_key: 'thread-1' })).toBe(before);
  await gateway.restart();
  expect(await sessionIdOf({ prompt_cache_key: 'thread-1' })).toBe(before);
});

test.each(['session-id', 'session_id', 'thread-id', 'thread_id', 'conversation-id', 'conversation_id'])(
  'forwards the %s of a client unchanged and adds none',
  async (name) => {
    const sent = await sessionIdOf({ prompt_cache_key: 'thread-1' }, { [name]: 'from-the-client' });
    expect(sent).toBe(name === 'session-id' ? 'from-the-client' : undefined);
    expect(gateway.provider.received.at(-1)?.headers[name]).toBe('from-the-client');
  },
);

test('adds none for a conversation without a name', async () => {
  expect(await sessionIdOf({})).toBeUndefined();
  expect(await sessionIdOf({ prompt_cache_key: ' ' })).toBeUndefined();
});

test('names conversations of chat completions too', async () => {
  const chat = { model: 'gpt-5.1', messages: [{ role: 'user', content: 'Say hi' }], prompt_cache_key: 'thread-1' };
  const responses = await sessionIdOf({ prompt_cache_key: 'thread-1' });
  const response = await gateway.ask(chat, { path: '/v1/chat/completions', headers: keys[0] ?? {} });
  await response.text();
  expect(gateway.provider.received.at(-1)?.headers['session-id']).toBe(responses);
});
