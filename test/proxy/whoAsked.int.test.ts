import { afterEach, expect, test } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';

let gateway: Gateway;
afterEach(() => gateway?.stop());

const CODEX = 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.169.0)';

const log = async (query = '') => (await gateway.api('GET', `/api/request-logs${query}`)).body;
const found = async (query: string): Promise<string[]> =>
  (await log(query)).requests.map(({ model }: { model: string }) => model);

async function newKey(name: string, fields = {}): Promise<{ id: string; headers: Record<string, string> }> {
  const { body } = await gateway.api('POST', '/api/api-keys', { name, ...fields });
  return { id: body.id, headers: { authorization: `Bearer ${body.key}` } };
}

test('the log shows who asked, finds requests by it, and forgets callers with their key', async () => {
  gateway = await startGateway();
  await gateway.set({ api_key_auth_enabled: true, sticky_threads_enabled: false });
  const [ada, bob] = [await newKey('ada', { owner: 'Ada' }), await newKey('bob')];
  const ask = async (headers: Record<string, string>, fields: object) =>
    await (await gateway.ask({ ...validRequest, ...fields }, { headers })).text();
  const codex = { 'user-agent': CODEX, originator: 'codex_exec', 'session-id': 'thread-1' };
  await ask({ ...ada.headers, ...codex }, { model: 'first', prompt_cache_key: 'thread-1' });
  await ask({ ...ada.headers, ...codex, 'session-id': 'thread-2' }, { model: 'second', prompt_cache_key: 'cache-2' });
  await ask({ ...bob.headers, 'user-agent': 'curl/8.5.0' }, { model: 'third' });

  const [third, , first] = (await log()).requests;
  expect(first).toMatchObject({
    client: 'codex_exec',
    client_version: '0.169.0',
    originator: 'codex_exec',
    owner: 'Ada',
    transport: 'http',
    address: '127.0.0.1',
    user_agent: CODEX,
  });
  expect(third).toMatchObject({ client: 'curl', client_version: '8.5.0', originator: null, owner: null });
  for (const [query, expected] of [
    [`?apiKeyId=${bob.id}`, ['third']],
    ['?owner=Ada', ['second', 'first']],
    ['?owner=', ['third']],
    ['?client=codex_exec&errorCode=', ['second', 'first']],
    ['?conversation=thread-1', ['first']],
    ['?conversation=thread-2', ['second']],
    ['?conversation=cache-2', ['second']],
    ['?conversation=other', []],
    ['?address=127.0.0.1', ['third', 'second', 'first']],
    ['?address=10.0.0.7', []],
  ] as const) {
    expect([query, await found(query)]).toEqual([query, expected]);
  }
  expect((await gateway.api('GET', '/api/request-logs/options?client=curl')).body).toMatchObject({
    model_options: [{ model: 'third' }],
    counts: { api_key_ids: { [ada.id]: 2, [bob.id]: 1 }, owners: { Ada: 2 } },
  });

  // The plain text is nowhere in the log, and the history hides what is sealed.
  const stored = gateway.events('RequestCompleted');
  expect(JSON.stringify(stored)).not.toMatch(/127\.0\.0\.1|Debian|thread-1|cache-2/);

  expect((await gateway.api('DELETE', `/api/api-keys/${ada.id}?forget_callers=true`)).status).toBe(204);
  const [, forgotten] = (await log()).requests;
  expect(forgotten).toMatchObject({ model: 'second', client: 'codex_exec', address: null, user_agent: null });
  expect(forgotten.forgotten).toEqual(['address', 'user_agent']);
  expect(await found('?address=127.0.0.1')).toEqual(['third']);
  expect(gateway.events('ApiKeyDeleted')).toMatchObject([{ data: { forgetsCallers: true } }]);
});

test('a refused request says who asked, and one without a key is found as well', async () => {
  gateway = await startGateway();
  const headers = { 'user-agent': 'opencode/1.18.33 ai-sdk', 'x-session-id': 'ses_1' };
  await (await gateway.ask({ ...validRequest, model: 5 as unknown as string }, { headers })).text();
  await (await gateway.ask({ ...validRequest, model: 'fine' }, { headers })).text();
  const { requests } = await log('?conversation=ses_1&address=127.0.0.1&apiKeyId=');
  expect(requests).toMatchObject([
    { model: 'fine', status: '200', client: 'opencode', address: '127.0.0.1' },
    { status: '400', client: 'opencode', client_version: '1.18.33', user_agent: 'opencode/1.18.33 ai-sdk' },
  ]);
});
