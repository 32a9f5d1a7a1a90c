import { type Authenticator, type Changes, newAuthenticator } from '../../../test/support/authenticator.ts';
import { type Browser, browser } from '../../../test/support/browser.ts';
import type { ReceivedResponse } from '../../../test/support/call.ts';
import type { Stage } from '../../../test/support/management.ts';

type Client = Pick<Browser, 'post' | 'call'>;

export const codeOf = ({ status, body }: ReceivedResponse) => [status, body?.error?.code ?? 'ok'];
export const messageOf = ({ body }: ReceivedResponse): string => body?.error?.message ?? '';

/** Starts a ceremony. @throws unless it was started */
export async function begin(client: Client, path: string, body?: unknown) {
  const response = await client.post(`${path}/start`, body);
  if (response.status !== 200) throw new Error(`${path} not started: ${response.text}`);
  return response.body;
}

/** Registers a passkey for the operator who is signed in. */
export async function register(client: Client, authenticator: Authenticator, changes: Changes = {}, name = 'Phone') {
  const { challengeToken, publicKey } = await begin(client, 'passkeys/registration');
  return client.post('passkeys', { challengeToken, credential: authenticator.create(publicKey, changes), name });
}

/** A client that signs in with a passkey. */
export async function signInWith(stage: Stage, authenticator: Authenticator, changes: Changes = {}, address?: string) {
  const client = browser(stage, address === undefined ? {} : { address });
  const { challengeToken, publicKey } = await begin(client, 'passkeys/sign-in');
  const sent = { challengeToken, credential: authenticator.get(publicKey, changes) };
  return { client, sent, response: await client.post('passkeys/sign-in', sent) };
}

/** Proves again who is signed in. */
export async function reauthenticateWith(client: Client, authenticator: Authenticator, changes: Changes = {}) {
  const { challengeToken, publicKey } = await begin(client, 'passkeys/reauthentication');
  return client.post('reauthenticate', {
    passkey: { challengeToken, credential: authenticator.get(publicKey, changes) },
  });
}

/** An operator with a passkey. */
export async function withPasskey<Signed extends Client>(client: Signed, options = {}) {
  const authenticator = newAuthenticator(options);
  const { status, body, text } = await register(client, authenticator);
  if (status !== 200) throw new Error(`no passkey: ${text}`);
  return { client, authenticator, passkeyId: body.id as string };
}
