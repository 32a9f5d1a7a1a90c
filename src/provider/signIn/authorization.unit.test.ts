import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { uuid } from '../../../test/support/specification.ts';
import { createAuthorization } from './authorization.ts';

const of = (installation: string) =>
  createAuthorization({
    authBaseUrl: 'http://127.0.0.1:9',
    vault: {
      digest: (purpose, value) => createHmac('sha256', installation).update(`${purpose}\0${value}`).digest('hex'),
    },
  });
const authorization = of('one');
const [mine, theirs] = [uuid(1), uuid(2)];
const callback = (parameters: Record<string, string>) => new URLSearchParams(parameters);

test('the challenge is the SHA-256 of the verifier, which RFC 7636 would accept', async () => {
  const url = new URL(await authorization.urlOf(mine, 'http://127.0.0.1:1455/auth/callback'));
  const verifier = authorization.verifierOf(mine);
  expect(verifier).toMatch(/^[A-Za-z0-9._~-]{43,128}$/);
  expect(url.searchParams.get('code_challenge')).toBe(createHash('sha256').update(verifier).digest('base64url'));
  expect(url.href).not.toContain(verifier);
});

test('state and verifier differ from each other, by sign-in and by installation, and are the same after a restart', () => {
  const all = [authorization, of('two')].flatMap((each) =>
    [mine, theirs].flatMap((linkId) => [each.stateOf(linkId), each.verifierOf(linkId)]),
  );
  expect(new Set(all).size).toBe(8);
  expect(of('one').stateOf(mine)).toBe(authorization.stateOf(mine));
  expect(of('one').verifierOf(mine)).toBe(authorization.verifierOf(mine));
});

test('a code counts with the state of its own sign-in alone', () => {
  const state = authorization.stateOf(mine);
  expect(authorization.read(callback({ code: 'c', state }), mine)).toEqual({ kind: 'code', code: 'c' });
  expect(authorization.read(callback({ code: 'c', state }), theirs)).toEqual({ kind: 'foreign' });
  for (const parameters of [{ code: 'c' }, { code: 'c', state: '' }, { state }, { code: '', state }]) {
    expect(authorization.read(callback(parameters as Record<string, string>), mine)).toEqual({ kind: 'foreign' });
  }
  expect(authorization.read(new URLSearchParams(`code=c&code=d&state=${state}`), mine)).toEqual({ kind: 'foreign' });
  expect(authorization.read(callback({ code: 'c', state, iss: 'http://evil' }), mine)).toEqual({ kind: 'foreign' });
});

test('a refusal is a code, whatever the provider wrote', () => {
  const state = authorization.stateOf(mine);
  const read = (error: string) => authorization.read(callback({ error, state }), mine);
  expect(read('access_denied')).toEqual({ kind: 'refused', code: 'access_denied' });
  expect(read('<script> is no code')).toEqual({ kind: 'refused', code: 'authorization_failed' });
  expect(authorization.read(callback({ error: 'access_denied', state: 'guessed' }), mine)).toEqual({ kind: 'foreign' });
});
