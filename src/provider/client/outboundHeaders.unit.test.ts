import { describe, expect, test } from 'vitest';
import { type AccountHeaders, outboundHeaders, RESIDENCY } from './outboundHeaders.ts';

const account: AccountHeaders = { authorization: 'Bearer access', 'chatgpt-account-id': 'acc_1' };

/** Name and value of each header in the order in which it is sent. */
function sent(clientHeaders: readonly string[], as = account, content = {}): [string, string][] {
  const { shared, own } = outboundHeaders(clientHeaders, as, 'req_1', content);
  const flat = [...shared.flatMap(({ fields }) => fields), ...own];
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ''] as [string, string]] : []));
}
const namesOf = (pairs: [string, string][]) => pairs.map(([name]) => name);
const OWN = ['authorization', 'chatgpt-account-id', 'accept', 'content-type', 'x-request-id'];

test("sends only svc's own headers for a request without any", () =>
  expect(sent([])).toEqual([
    ['authorization', 'Bearer access'],
    ['chatgpt-account-id', 'acc_1'],
    ['accept', 'text/event-stream'],
    ['content-type', 'application/json'],
    ['x-request-id', 'req_1'],
  ]));

test("omits the account id if the provider's is unknown", () => {
  expect(namesOf(sent([], { authorization: 'Bearer access' }))).not.toContain('chatgpt-account-id');
  const explicit = { authorization: 'Bearer access', 'chatgpt-account-id': undefined };
  expect(namesOf(sent([], explicit))).not.toContain('chatgpt-account-id');
});

test('uses the accept and content type of the endpoint', () => {
  const content = { accept: 'application/json', contentType: 'multipart/form-data; boundary=x' };
  expect(sent([], account, content)).toContainEqual(['accept', 'application/json']);
  expect(sent([], account, content)).toContainEqual(['content-type', 'multipart/form-data; boundary=x']);
});

describe('forwards unchanged', () => {
  test.each([
    ['user-agent', 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.169.0)'],
    ['originator', 'codex_exec'],
    ['version', '0.169.0'],
    ['openai-beta', 'responses=experimental'],
    ['accept-language', 'de, en;q=0.8'],
    ['session_id', 's'],
    ['session-id', 's'],
    ['thread_id', 't'],
    ['thread-id', 't'],
    ['conversation_id', 'c'],
    ['conversation-id', 'c'],
    ['x-client-request-id', 'r'],
    ['x-codex-window-id', 'thread:1'],
    ['x-codex-turn-metadata', '{"request_kind":"turn"}'],
    ['x-codex-turn-state', 'opaque'],
    ['x-codex-beta-features', 'remote_compaction_v2'],
    ['x-openai-internal-codex-responses-lite', 'true'],
    ['x-openai-subagent', 'review'],
    ['x-openai-memgen-request', 'true'],
  ])('%s', (name, value) => {
    expect(sent([name, value])).toContainEqual([name, value]);
    expect(sent([name.toUpperCase(), value])).toContainEqual([name, value]);
  });
});

describe('does not forward', () => {
  test.each([
    'Authorization',
    'ChatGPT-Account-Id',
    'Host',
    'Content-Length',
    'Content-Encoding',
    'Content-Type',
    'Accept',
    'Accept-Encoding',
    'Connection',
    'Keep-Alive',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'Cookie',
    'Origin',
    'Referer',
    'Forwarded',
    'Via',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Real-IP',
    'True-Client-IP',
    'CF-Connecting-IP',
    'X-Request-Id',
    'X-Stainless-Lang',
    'X-Codex-Installation-Id',
    'X-OpenAI-Internal-Codex-Residency',
    'X-OpenAI-Fedramp',
    'X-OpenAI-Workspace',
    'X-Session-Affinity',
    'Traceparent',
    'X-Api-Key',
    'X-Codex',
    'Idempotency-Key',
  ])('%s', (name) => expect(namesOf(sent([name, 'value']))).toEqual(OWN));
});

test("sends the residency of the account, never the client's", () => {
  const pairs = sent([RESIDENCY, 'us', RESIDENCY.toUpperCase(), 'us'], { ...account, [RESIDENCY]: 'eu' });
  expect(pairs.filter(([name]) => name === RESIDENCY)).toEqual([[RESIDENCY, 'eu']]);
});

test("never replaces the account's headers by the client's", () => {
  const pairs = sent(['authorization', 'Bearer sk-svc-1', 'CHATGPT-ACCOUNT-ID', 'acc_2', 'accept', 'text/html']);
  expect(pairs.filter(([name]) => name === 'authorization')).toEqual([['authorization', 'Bearer access']]);
  expect(pairs.filter(([name]) => name === 'chatgpt-account-id')).toEqual([['chatgpt-account-id', 'acc_1']]);
});

test('ignores a header name without a value', () => expect(namesOf(sent(['user-agent']))).toEqual(OWN));

test('forwards the same headers after clients have invented many names', () => {
  const expected = [...OWN, 'user-agent', 'x-codex-turn'];
  for (let round = 0; round < 3; round++) {
    expect(namesOf(sent(['User-Agent', 'a', 'X-Codex-Turn', '1', 'Cookie', 'c']))).toEqual(expected);
    for (let index = 0; index < 600; index++) {
      const name = `x-${round}-${index}`;
      expect(namesOf(sent([name, '1', name.padEnd(200, 'x'), '1']))).toEqual(OWN);
    }
  }
});
