import type { Role } from '../../src/domain/operator/role.ts';
import { type Browser, browser } from './browser.ts';
import type { Stage } from './management.ts';

/** The built-in administrator on this machine without a session, as the history shows it; without client. */
export const LOCAL_ADMINISTRATOR = {
  kind: 'operator',
  operator_id: 'administrator',
  name: 'Built-in administrator',
  token_id: null,
  token_name: null,
  method: null,
  session_id: null,
  address: null,
  user_agent: null,
  used_totp: false,
};

export const OPERATOR_PASSWORD = 'battery staple';

/** The secret part of an invitation link. */
export const secretOf = (invitationUrl: string): string => invitationUrl.slice(invitationUrl.indexOf('#') + 1);

/** Invites an operator as `administrator`. @returns the response body */
export async function invite(administrator: Pick<Browser, 'call'>, name: string, role: Role) {
  const body = { name, email: `${name.toLowerCase()}@example.com`, role };
  const response = await administrator.call('POST', '/api/operators', { body });
  if (response.status !== 200) throw new Error(`not invited: ${response.text}`);
  return response.body;
}

/** Invites an operator, who accepts. @returns a browser with their session, and their id */
export async function join(
  stage: Stage,
  administrator: Pick<Browser, 'call'>,
  name: string,
  role: Role,
): Promise<Browser & { readonly id: string }> {
  const { id, invitation_url } = await invite(administrator, name, role);
  const client = browser(stage);
  const accept = { token: secretOf(invitation_url), password: OPERATOR_PASSWORD };
  const { status, text } = await client.post('invitation/accept', accept);
  if (status !== 200) throw new Error(`not accepted: ${text}`);
  return Object.assign(client, { id });
}

/** Signs in an operator. */
export async function signIn(stage: Stage, login: string, password = OPERATOR_PASSWORD): Promise<Browser> {
  const client = browser(stage);
  const { status, text } = await client.post('login', { login, password });
  if (status !== 200) throw new Error(`not signed in: ${text}`);
  return client;
}

/** A client with a management token. */
export function withToken({ call }: Pick<Stage, 'call'>, token: string): Pick<Browser, 'call'> {
  return {
    call: (method, path, { headers, ...sent } = {}) =>
      call(method, path, { ...sent, headers: { authorization: `Bearer ${token}`, ...headers } }),
  };
}
