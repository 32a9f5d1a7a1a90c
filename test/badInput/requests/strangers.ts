import { gzipSync } from 'node:zlib';
import { agentText } from '../support/agentBody.ts';
import { type BadRequest, PATHS } from '../support/badRequest.ts';
import { message } from '../support/wire.ts';

export interface Keys {
  readonly good: string;
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
const saying = (name: string, authorization: string) => unknown(name, { headers: { authorization } });

/** Clients without a key that counts, whatever else they send. */
export const strangers = ({ good, expired, inactive, deleted, replaced }: Keys): BadRequest[] => [
  unknown('no authorization'),
  saying('an empty authorization', ''),
  saying('a scheme alone', 'Bearer'),
  saying('a scheme and a space', 'Bearer '),
  saying('another scheme', `Basic ${Buffer.from(`user:${good}`).toString('base64')}`),
  saying('an unknown scheme', `Token ${good}`),
  saying('a key without scheme', good),
  saying('a scheme without space', `Bearer${good}`),
  saying('a key that never was', `Bearer sk-svc-${'0'.repeat(48)}`),
  saying('a key cut by one letter', `Bearer ${good.slice(0, -1)}`),
  saying('a key and one letter more', `Bearer ${good}0`),
  saying('a key in capitals', `Bearer ${good.toUpperCase()}`),
  saying('the prefix of a key', `Bearer ${good.slice(0, 16)}`),
  saying('two keys', `Bearer ${good}, Bearer ${good}`),
  saying('a key in quotes', `Bearer "${good}"`),
  saying('a key in percent encoding', `Bearer ${good.replaceAll('-', '%2D')}`),
  saying('a key of 8 kB', `Bearer sk-svc-${'a'.repeat(8_000)}`),
  saying('the names of the prototype', 'Bearer __proto__'),
  saying('a key with odd letters', Buffer.from(`Bearer sk-svc-\xfc\xff`, 'latin1').toString('latin1')),
  saying('a signed token of somebody else', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.'),
  saying('an expired key', `Bearer ${expired}`),
  saying('an inactive key', `Bearer ${inactive}`),
  saying('a deleted key', `Bearer ${deleted}`),
  saying('a key that was replaced', `Bearer ${replaced}`),
  unknown('a key in the query', { path: `${PATHS.v1}?api_key=${good}` }),
  unknown('a key in another header', { headers: { 'x-api-key': good } }),
  unknown('a key in a cookie', { headers: { cookie: `authorization=Bearer ${good}` } }),
  unknown('a key in the body', { body: JSON.stringify({ api_key: good }) }),
  unknown('a key in the proxy authorization', { headers: { 'proxy-authorization': `Bearer ${good}` } }),
  unknown('cut JSON', { body: agentText.slice(0, 100) }),
  unknown('no body', { body: '' }),
  unknown('a body that is not encoded as it says', { headers: { 'content-encoding': 'gzip' } }),
  unknown('an unknown encoding', { headers: { 'content-encoding': 'rot13' } }),
  unknown('a body that unpacks to 200 MiB', {
    body: gzipSync(Buffer.alloc(200 * 1_048_576), { level: 1 }),
    headers: { 'content-encoding': 'gzip' },
  }),
  unknown('a body that is too large', { body: new Uint8Array(33 * 1_048_576) }),
  unknown('an unknown path', { path: '/v1/nothing' }),
  unknown('a path that climbs', { steps: [message(agentText, { path: '/v1/../api/settings' })] }),
  unknown('a wrong method', { method: 'PUT' }),
  unknown('HTTP/1.0', { steps: [message(agentText, { version: 'HTTP/1.0', host: null })] }),
  unknown('two authorizations, the good one second', {
    steps: [
      message(agentText, {
        headers: [
          ['authorization', 'Bearer nobody'],
          ['authorization', `Bearer ${good}`],
        ],
      }),
    ],
  }),
];
