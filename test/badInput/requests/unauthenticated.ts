import { gzipSync } from 'node:zlib';
import { agentText } from '../support/agentBody.ts';
import { type BadRequest, PATHS } from '../support/badRequest.ts';
import { message } from '../support/rawHttp.ts';

export interface Keys {
  readonly valid: string;
  readonly expired: string;
  readonly inactive: string;
  readonly deleted: string;
  readonly replaced: string;
}

const unknown = (name: string, rest: Partial<BadRequest> = {}): BadRequest => ({
  name,
  body: agentText,
  expected: { status: 401, code: 'invalid_api_key', param: null },
  isLogged: false,
  ...rest,
});
const withAuthorization = (name: string, authorization: string) => unknown(name, { headers: { authorization } });

/** Requests without a valid key, whatever else they contain. */
export const unauthenticated = ({ valid, expired, inactive, deleted, replaced }: Keys): BadRequest[] => [
  unknown('no authorization'),
  withAuthorization('an empty authorization', ''),
  withAuthorization('only a scheme', 'Bearer'),
  withAuthorization('a scheme with a trailing space', 'Bearer '),
  withAuthorization('another scheme', `Basic ${Buffer.from(`user:${valid}`).toString('base64')}`),
  withAuthorization('an unknown scheme', `Token ${valid}`),
  withAuthorization('a key without a scheme', valid),
  withAuthorization('a scheme without a space', `Bearer${valid}`),
  withAuthorization('a key that was never issued', `Bearer sk-svc-${'0'.repeat(48)}`),
  withAuthorization('a key without its last character', `Bearer ${valid.slice(0, -1)}`),
  withAuthorization('a key with an additional character', `Bearer ${valid}0`),
  withAuthorization('a key in upper case', `Bearer ${valid.toUpperCase()}`),
  withAuthorization('the prefix of a key', `Bearer ${valid.slice(0, 16)}`),
  withAuthorization('two keys', `Bearer ${valid}, Bearer ${valid}`),
  withAuthorization('a key in quotes', `Bearer "${valid}"`),
  withAuthorization('a key in percent encoding', `Bearer ${valid.replaceAll('-', '%2D')}`),
  withAuthorization('a key of 8 kB', `Bearer sk-svc-${'a'.repeat(8_000)}`),
  withAuthorization('__proto__ as a key', 'Bearer __proto__'),
  withAuthorization(
    'a key with non-ASCII characters',
    Buffer.from(`Bearer sk-svc-\xfc\xff`, 'latin1').toString('latin1'),
  ),
  withAuthorization('a JWT', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.'),
  withAuthorization('an expired key', `Bearer ${expired}`),
  withAuthorization('an inactive key', `Bearer ${inactive}`),
  withAuthorization('a deleted key', `Bearer ${deleted}`),
  withAuthorization('a regenerated key', `Bearer ${replaced}`),
  unknown('a key in the query', { path: `${PATHS.v1}?api_key=${valid}` }),
  unknown('a key in another header', { headers: { 'x-api-key': valid } }),
  unknown('a key in a cookie', { headers: { cookie: `authorization=Bearer ${valid}` } }),
  unknown('a key in the body', { body: JSON.stringify({ api_key: valid }) }),
  unknown('a key in Proxy-Authorization', { headers: { 'proxy-authorization': `Bearer ${valid}` } }),
  unknown('truncated JSON', { body: agentText.slice(0, 100) }),
  unknown('no body', { body: '' }),
  unknown('a body that does not match its encoding', { headers: { 'content-encoding': 'gzip' } }),
  unknown('an unknown encoding', { headers: { 'content-encoding': 'rot13' } }),
  unknown('a body that decompresses to 200 MiB', {
    body: gzipSync(Buffer.alloc(200 * 1_048_576), { level: 1 }),
    headers: { 'content-encoding': 'gzip' },
  }),
  unknown('a body that is too large', { body: new Uint8Array(33 * 1_048_576) }),
  unknown('an unknown path', { path: '/v1/nothing' }),
  unknown('a path with ..', { steps: [message(agentText, { path: '/v1/../api/settings' })] }),
  unknown('a wrong method', { method: 'PUT' }),
  unknown('HTTP/1.0', { steps: [message(agentText, { version: 'HTTP/1.0', host: null })] }),
  unknown('two authorizations, the second one valid', {
    steps: [
      message(agentText, {
        headers: [
          ['authorization', 'Bearer invalid'],
          ['authorization', `Bearer ${valid}`],
        ],
      }),
    ],
  }),
];
