import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { uuid } from '../../../test/support/specification.ts';
import { directCalls } from '../outgoingProxy/directCalls.support.ts';
import { createAuthorization } from './authorization.ts';

const forInstallation = (installation: string) =>
  createAuthorization({
    authBaseUrl: 'http://127.0.0.1:9',
    agentFor: directCalls,
    vault: {
      digest: (purpose, value) => createHmac('sha256', installation).update(`${purpose}\0${value}`).digest('hex'),
    },
  });
const authorization = forInstallation('one');
const [linkId, otherLinkId] = [uuid(1), uuid(2)];
const callback = (parameters: Record<string, string>) => new URLSearchParams(parameters);

test('sends the SHA-256 of a verifier that conforms to RFC 7636 as the challenge', async () => {
  const url = new URL(await authorization.urlOf(linkId, 'http://127.0.0.1:1455/auth/callback'));
  const verifier = authorization.verifierOf(linkId);
  expect(verifier).toMatch(/^[A-Za-z0-9._~-]{43,128}$/);
  expect(url.searchParams.get('code_challenge')).toBe(createHash('sha256').update(verifier).digest('base64url'));
  expect(url.href).not.toContain(verifier);
});

test('derives distinct states and verifiers that survive a restart', () => {
  const all = [authorization, forInstallation('two')].flatMap((each) =>
    [linkId, otherLinkId].flatMap((id) => [each.stateOf(id), each.verifierOf(id)]),
  );
  expect(new Set(all).size).toBe(8);
  expect(forInstallation('one').stateOf(linkId)).toBe(authorization.stateOf(linkId));
  expect(forInstallation('one').verifierOf(linkId)).toBe(authorization.verifierOf(linkId));
});

test('accepts a code only with the state of its own sign-in', () => {
  const state = authorization.stateOf(linkId);
  expect(authorization.read(callback({ code: 'c', state }), linkId)).toEqual({ kind: 'code', code: 'c' });
  expect(authorization.read(callback({ code: 'c', state }), otherLinkId)).toEqual({ kind: 'foreign' });
  for (const parameters of [{ code: 'c' }, { code: 'c', state: '' }, { state }, { code: '', state }]) {
    expect(authorization.read(callback(parameters as Record<string, string>), linkId)).toEqual({ kind: 'foreign' });
  }
  expect(authorization.read(new URLSearchParams(`code=c&code=d&state=${state}`), linkId)).toEqual({ kind: 'foreign' });
  expect(authorization.read(callback({ code: 'c', state, iss: 'http://evil' }), linkId)).toEqual({ kind: 'foreign' });
});

test('reads a refusal as a code that is safe to log', () => {
  const state = authorization.stateOf(linkId);
  const read = (error: string) => authorization.read(callback({ error, state }), linkId);
  expect(read('access_denied')).toEqual({ kind: 'refused', code: 'access_denied' });
  expect(read('<script> not a code')).toEqual({ kind: 'refused', code: 'authorization_failed' });
  expect(authorization.read(callback({ error: 'access_denied', state: 'guessed' }), linkId)).toEqual({
    kind: 'foreign',
  });
});
