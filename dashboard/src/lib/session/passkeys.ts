import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { ApiError } from '../api/apiError.ts';
import { api, type Schemas, unwrap } from '../api/client.ts';

// The library is loaded with the first passkey that is used, so that no page pays for it.
const library = () => import('@simplewebauthn/browser');

/** Why this page cannot use passkeys, which browsers bind to one address; undefined when it can. @throws ApiError */
export async function passkeyProblem(): Promise<string | undefined> {
  if (typeof PublicKeyCredential === 'undefined') return 'This browser does not support passkeys.';
  const { origin, problem } = await unwrap(api.GET('/api/dashboard-auth/passkeys/relying-party'));
  if (origin === null) return problem ?? 'Passkeys are not available here.';
  return origin === location.origin ? undefined : `Passkeys work at ${origin}, not at ${location.origin}.`;
}

/** Asks the browser for a passkey of any person. @throws ApiError */
export async function signInWithPasskey(): Promise<Schemas['DashboardSession']> {
  const start = await unwrap(api.POST('/api/dashboard-auth/passkeys/sign-in/start'));
  return unwrap(api.POST('/api/dashboard-auth/passkeys/sign-in', { body: await assertion(start) }));
}

/** Asks the browser for a passkey of the person who is signed in. @throws ApiError */
export async function reauthenticateWithPasskey(): Promise<void> {
  const start = await unwrap(api.POST('/api/dashboard-auth/passkeys/reauthentication/start'));
  await unwrap(api.POST('/api/dashboard-auth/reauthenticate', { body: { passkey: await assertion(start) } }));
}

/** Asks the browser for a new passkey, and adds it to the person who is signed in. @throws ApiError */
export async function addPasskey(name: string): Promise<void> {
  const start = await unwrap(api.POST('/api/dashboard-auth/passkeys/registration/start'));
  await unwrap(api.POST('/api/dashboard-auth/passkeys', { body: await newPasskey(start, name) }));
}

/** Asks the browser for a new passkey, and accepts an invitation with it instead of a password. @throws ApiError */
export async function acceptWithPasskey(token: string): Promise<Schemas['DashboardSession']> {
  const start = await unwrap(api.POST('/api/dashboard-auth/invitation/passkey/start', { body: { token } }));
  const body = { token, passkey: await newPasskey(start, 'Passkey') };
  return unwrap(api.POST('/api/dashboard-auth/invitation/accept', { body }));
}

async function newPasskey({ challengeToken, publicKey }: Schemas['PasskeyRegistrationStart'], name: string) {
  const { startRegistration } = await library();
  const optionsJSON = publicKey as PublicKeyCredentialCreationOptionsJSON;
  return { challengeToken, credential: await startRegistration({ optionsJSON }).catch(refuse), name };
}

async function assertion({ challengeToken, publicKey }: Schemas['PasskeyAssertionStart']) {
  const { startAuthentication } = await library();
  const optionsJSON = publicKey as PublicKeyCredentialRequestOptionsJSON;
  return { challengeToken, credential: await startAuthentication({ optionsJSON }).catch(refuse) };
}

/** What browsers throw, by its name (https://www.w3.org/TR/webauthn-3/#sctn-createCredential). */
const TEXTS: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used. It was cancelled, took too long, or this device has none for this address.',
  AbortError: 'No passkey was used, because another request for one has begun.',
  InvalidStateError: 'This device has a passkey for your account already.',
};

/** @throws ApiError with a sentence for the person */
function refuse(reason: unknown): never {
  const { name, message } = reason as Error;
  throw new ApiError(0, 'passkey_not_used', TEXTS[name] ?? `The browser could not use a passkey: ${message}`);
}
