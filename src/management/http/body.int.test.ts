import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sharedManagement, startManagement } from '../../../test/support/management.ts';

const shared = sharedManagement();
const writes = [
  ['POST', '/api/api-keys', 'invalid_api_key_payload'],
  ['POST', '/api/firewall/ips', 'invalid_ip'],
  ['PUT', '/api/settings', 'validation_error'],
  ['POST', '/api/accounts/import', 'invalid_auth_json'],
] as const;

const json = { 'content-type': 'application/json' };
const malformed: [string, { headers?: Record<string, string>; body?: string | Uint8Array }][] = [
  ['no body', {}],
  ['an empty JSON body', { headers: json }],
  ['plain text as JSON', { headers: json, body: 'not json' }],
  ['a truncated object', { headers: json, body: '{"name": "x"' }],
  ['a number', { headers: json, body: '7' }],
  ['null', { headers: json, body: 'null' }],
  ['an array', { headers: json, body: '[{}]' }],
  ['invalid UTF-8', { headers: json, body: new Uint8Array([0xff, 0xfe, 0x00, 0x7b]) }],
  ['a __proto__ field', { headers: json, body: '{"__proto__": {"name": "x"}}' }],
  ['more than 1 MiB', { headers: json, body: `{"name": "${'x'.repeat(1_100_000)}"}` }],
  [
    'more than 1 MiB after decompression',
    { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync('x'.repeat(2_000_000)) },
  ],
  ['a body that is not gzip', { headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' }],
  ['an unknown encoding', { headers: { ...json, 'content-encoding': 'rot13' }, body: '{}' }],
  ['100,000 nested arrays', { headers: json, body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }],
  ['80,000 nested objects', { headers: json, body: `${'{"limits":'.repeat(80_000)}1${'}'.repeat(80_000)}` }],
  [
    'a URL-encoded form',
    { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'name=x&ip_address=10.0.0.1' },
  ],
  [
    'JSON sent as text/plain',
    { headers: { 'content-type': 'text/plain' }, body: '{"name":"x","ip_address":"10.0.0.1"}' },
  ],
  ['a form without boundary', { headers: { 'content-type': 'multipart/form-data' }, body: '--x--' }],
  ['a truncated form', { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x\r\ncontent-disp' }],
];

test.each(malformed)('rejects %s with the error code of the resource', async (_name, sent) => {
  const { call, reported, hot } = shared();
  for (const [method, path, code] of writes) {
    const { status, body } = await call(method, path, sent);
    expect([path, status, body?.error.code]).toEqual([path, 400, code]);
    expect(body.error.message).toMatch(/^[A-Za-z'_]/);
  }
  expect(reported).toEqual([]);
  expect(hot.state.position).toBe(0);
});

test('decompresses a gzip body', async () => {
  const { call } = await startManagement();
  const headers = { ...json, 'content-encoding': 'gzip' };
  const { status } = await call('POST', '/api/firewall/ips', { headers, body: gzipSync('{"ip_address":"10.0.0.1"}') });
  expect(status).toBe(200);
});
