import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type Authenticator, type Changes, cbor, newAuthenticator } from '../../../test/support/authenticator.ts';
import { setUp } from '../../../test/support/browser.ts';
import { sharedManagement } from '../../../test/support/management.ts';
import { join } from '../../../test/support/operators.ts';
import { MINUTE } from '../../../test/support/specification.ts';
import { advanceClock, allEvents } from './authStage.support.ts';
import { begin, codeOf, messageOf, register, signInWith, withPasskey } from './passkeyStage.support.ts';

// What a client may send instead of what an authenticator said.

const stage = sharedManagement();
let authenticator: Authenticator;
let adaId: string;
beforeAll(async () => {
  const ada = await join(stage(), await setUp(stage()), 'Ada', 'administrator');
  ({ authenticator } = await withPasskey(ada));
  adaId = ada.id;
});

/** A client that has just signed in. */
const freshClient = async () => (await signInWith(stage(), authenticator)).client;

const REJECTED = [401, 'passkey_rejected'];
const foreignKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

test.each<[string, Changes, RegExp]>([
  [
    'of a page of another origin',
    { origin: 'https://svc.example.evil.example' },
    /only https:\/\/svc\.example may use it/,
  ],
  ['of the same host without TLS', { origin: 'http://svc.example' }, /used on http:\/\/svc\.example/],
  ['of another port', { origin: 'https://svc.example:8443' }, /only https:\/\/svc\.example may use it/],
  ['for another host', { rpId: 'evil.example' }, /for another host than svc\.example/],
  ['in a frame of another site', { crossOrigin: true }, /within a page of another origin/],
  ['that a registration made', { type: 'webauthn.create' }, /made for another purpose/],
  ['to another challenge', { challenge: 'A'.repeat(43) }, /answers another challenge/],
  ['without verifying the user', { isUserVerified: false }, /did not verify its user/],
  ['without the presence of the user', { isUserPresent: false }, /malformed/],
  ['with the signature of another key', { privateKey: foreignKey }, /signature of the passkey is wrong/],
  ['with the handle of another person', { userHandle: Buffer.from('bob').toString('base64url') }, /of another person/],
  ['with surplus data', { surplus: Buffer.alloc(7) }, /malformed/],
])('refuses an assertion %s, and says why', async (_, changes, message) => {
  advanceClock(stage(), MINUTE);
  const { position } = stage().hot.state;
  const { client, response } = await signInWith(stage(), authenticator, changes);
  expect(codeOf(response)).toEqual(REJECTED);
  expect(messageOf(response)).toMatch(message);
  expect(client.cookie).toBeUndefined();
  const events = await allEvents(stage(), position);
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['OperatorSignInFailed', { operatorId: adaId, method: 'passkey' }],
  ]);
});

test.each<[string, Changes, RegExp]>([
  ['of another origin', { origin: 'https://evil.example' }, /only https:\/\/svc\.example may use it/],
  ['for another host', { rpId: 'evil.example' }, /another host/],
  ['in a frame of another site', { crossOrigin: true }, /within a page of another origin/],
  ['that an assertion made', { type: 'webauthn.get' }, /another purpose/],
  ['to another challenge', { challenge: 'A'.repeat(43) }, /another challenge/],
  ['without verifying the user', { isUserVerified: false }, /did not verify its user/],
  ['with an id that the authenticator did not sign', { id: 'AAAA' }, /malformed/],
  [
    'with a key of an algorithm that is not supported',
    {
      cose: new Map([
        [1, 2],
        [3, -47],
      ]),
    },
    /malformed/,
  ],
  [
    'with a key that is none',
    {
      cose: new Map([
        [1, 2],
        [3, -7],
        [-1, 1],
      ]),
    },
    /malformed|cannot/,
  ],
  ['with surplus data', { surplus: Buffer.alloc(7) }, /malformed/],
])('refuses a registration %s, and says why', async (_, changes, message) => {
  const response = await register(await freshClient(), newAuthenticator(), changes);
  expect(codeOf(response)).toEqual([400, 'invalid_passkey']);
  expect(messageOf(response)).toMatch(message);
});

test.each<[string, (credential: ReturnType<ReturnType<typeof newAuthenticator>['create']>) => unknown]>([
  ['larger than 1 MiB', (credential) => ({ ...credential, response: { attestationObject: 'A'.repeat(1_100_000) } })],
  [
    'with a part above its maximum',
    (credential) => ({ ...credential, response: { ...credential.response, attestationObject: 'A'.repeat(40_000) } }),
  ],
  ['that is no base64url', (credential) => ({ ...credential, id: 'a+b=' })],
  ['without a response', ({ id, rawId, type }) => ({ id, rawId, type })],
  ['that is no object', () => 'credential'],
])('refuses a credential %s by the name of the field', async (_, change) => {
  const ada = await freshClient();
  const { challengeToken, publicKey } = await begin(ada, 'passkeys/registration');
  const credential = change(newAuthenticator().create(publicKey));
  const response = await ada.post('passkeys', { challengeToken, credential, name: 'Key' });
  expect(codeOf(response)).toEqual([400, 'validation_error']);
  expect(messageOf(response)).toMatch(/credential|larger than/);
});

test.each<[string, Buffer]>([
  ['is nested 20,000 deep', Buffer.alloc(20_000, 0x81)],
  ['announces more entries than it has', Buffer.from('9bffffffffffffffff', 'hex')],
  ['announces a string that is longer than it', Buffer.from('7bffffffffffffffff', 'hex')],
  ['is empty', Buffer.from('a0', 'hex')],
  [
    'has authenticator data of one byte',
    cbor(
      new Map<string, never>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', Buffer.alloc(1)],
      ] as never),
    ),
  ],
  [
    'has a text as authenticator data',
    cbor(
      new Map<string, never>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', 'text'],
      ] as never),
    ),
  ],
])('refuses an attestation whose CBOR %s', async (_, attestationObject) => {
  const ada = await freshClient();
  const { challengeToken, publicKey } = await begin(ada, 'passkeys/registration');
  const credential = newAuthenticator().create(publicKey);
  const response = { ...credential.response, attestationObject: attestationObject.toString('base64url') };
  const sent = { challengeToken, credential: { ...credential, response }, name: 'Key' };
  expect(codeOf(await ada.post('passkeys', sent))).toEqual([400, 'invalid_passkey']);
  expect(stage().reported).toEqual([]);
});

test('never looks at attestation: certificates of clients are neither parsed nor looked up', async () => {
  const ada = await freshClient();
  const garbage = new Map<string, unknown>([
    ['alg', -7],
    ['sig', Buffer.alloc(64)],
    ['x5c', [Buffer.from('no certificate')]],
  ]);
  const attestation = ['packed', garbage] as never;
  expect((await register(ada, newAuthenticator(), { attestation })).status).toBe(200);
});
