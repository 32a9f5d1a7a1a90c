import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';

const unchanged = sharedManagement();
const writes = [
  ['POST', '/api/api-keys', 'invalid_api_key_payload'],
  ['POST', '/api/firewall/ips', 'invalid_ip'],
  ['PUT', '/api/settings', 'validation_error'],
  ['POST', '/api/accounts/import', 'invalid_auth_json'],
] as const;

const json = { 'content-type': 'application/json' };
const malformed: [string, { headers?: Record<string, string>; body?: string | Uint8Array }][] = [
  ['nothing at all', {}],
  ['nothing, called JSON', { headers: json }],
  ['text', { headers: json, body: 'not json' }],
  ['half of an object', { headers: json, body: '{"name": "x"' }],
  ['a number', { headers: json, body: '7' }],
  ['null', { headers: json, body: 'null' }],
  ['an array', { headers: json, body: '[{}]' }],
  ['bytes that are no text', { headers: json, body: new Uint8Array([0xff, 0xfe, 0x00, 0x7b]) }],
  ['a body that reaches for prototypes', { headers: json, body: '{"__proto__": {"name": "x"}}' }],
  ['more than a mebibyte', { headers: json, body: `{"name": "${'x'.repeat(1_100_000)}"}` }],
  [
    'a mebibyte once unpacked',
    { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync('x'.repeat(2_000_000)) },
  ],
  ['what is not gzip', { headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' }],
  ['an encoding that nobody knows', { headers: { ...json, 'content-encoding': 'rot13' }, body: '{}' }],
  ['100,000 arrays in each other', { headers: json, body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }],
  ['100,000 objects in each other', { headers: json, body: `${'{"limits":'.repeat(80_000)}1${'}'.repeat(80_000)}` }],
  ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'name=x&ip_address=10.0.0.1' }],
  [
    'plain text that holds JSON',
    { headers: { 'content-type': 'text/plain' }, body: '{"name":"x","ip_address":"10.0.0.1"}' },
  ],
  ['a form without boundary', { headers: { 'content-type': 'multipart/form-data' }, body: '--x--' }],
  ['half of a form', { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x\r\ncontent-disp' }],
];

test.each(malformed)('%s is refused with the code of the resource', async (_name, sent) => {
  const { call, reported, hot } = unchanged();
  for (const [method, path, code] of writes) {
    const { status, body } = await call(method, path, sent);
    expect([path, status, body?.error.code]).toEqual([path, 400, code]);
    expect(body.error.message).toMatch(/^[A-Za-z'_]/);
  }
  expect(reported).toEqual([]);
  expect(hot.state.position).toBe(0);
});

test('a packed body is unpacked', async () => {
  const { call } = await startManagement();
  const headers = { ...json, 'content-encoding': 'gzip' };
  const { status } = await call('POST', '/api/firewall/ips', { headers, body: gzipSync('{"ip_address":"10.0.0.1"}') });
  expect(status).toBe(200);
});
