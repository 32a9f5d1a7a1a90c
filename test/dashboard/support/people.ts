import type { Page } from 'playwright-core';
import { onTestFinished, vi } from 'vitest';
import type { Role } from '../../../src/domain/operator/role.ts';
import { PASSWORD } from '../../support/browser.ts';
import type { Gateway } from '../../support/gateway.ts';
import { OPERATOR_PASSWORD, secretOf } from '../../support/operators.ts';

async function send({ url }: Gateway, method: string, path: string, body?: unknown, headers = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  const parsed = (await response.json()) as any;
  return { status: response.status, body: parsed, cookie: response.headers.getSetCookie()[0]?.split(';')[0] };
}

/** Sets the password of the built-in administrator. @returns calls of the management API in its session */
export async function setUpAdministrator(gateway: Gateway) {
  const { cookie } = await send(gateway, 'POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
  const call = (method: string, path: string, body?: unknown) => send(gateway, method, path, body, { cookie });

  /** @returns the link of an invitation, as a path of the dashboard */
  async function invite(name: string, role: Role): Promise<{ id: string; path: string }> {
    const person = { name, email: `${name.toLowerCase()}@example.com`, role };
    const { status, body } = await call('POST', '/api/operators', person);
    if (status !== 200) throw new Error(`not invited: ${JSON.stringify(body)}`);
    const { pathname, hash } = new URL(body.invitation_url);
    return { id: body.id, path: pathname + hash };
  }

  /** Invites an operator, who accepts. @returns the id */
  async function join(name: string, role: Role): Promise<string> {
    const { id, path } = await invite(name, role);
    const accept = { token: secretOf(path), password: OPERATOR_PASSWORD };
    const { status } = await send(gateway, 'POST', '/api/dashboard-auth/invitation/accept', accept);
    if (status !== 200) throw new Error(`not accepted: ${status}`);
    return id;
  }

  return { call, invite, join };
}

/** Operators in every status, and a management token. @returns the path of an invitation that was not accepted */
export async function addPeople(administrator: Awaited<ReturnType<typeof setUpAdministrator>>) {
  const { call, invite, join } = administrator;
  const ids: string[] = [];
  for (const [name, role] of [
    ['Ada', 'administrator'],
    ['Grace', 'operator'],
    ['Radia', 'auditor'],
    ['Hedy', 'member'],
  ] as const) {
    ids.push(await join(name, role));
  }
  await call('PATCH', `/api/operators/${ids[3]}`, { is_active: false });
  const { path } = await invite('Barbara', 'member');
  const expires_at = new Date(Date.now() + 90 * 86_400_000).toISOString();
  await call('POST', '/api/tokens', { name: 'deploy script', role: 'operator', expires_at });
  return { invitation: path };
}

/** Signs in an operator without a browser. @returns calls of the management API in the session */
export async function sessionOf(gateway: Gateway, login: string) {
  const body = { login, password: OPERATOR_PASSWORD };
  let { cookie } = await send(gateway, 'POST', '/api/dashboard-auth/login', body);
  return async (method: string, path: string, body?: unknown) => {
    const response = await send(gateway, method, path, body, { cookie });
    // A verified second factor gives the session a new cookie.
    cookie = response.cookie ?? cookie;
    return response;
  };
}

/** Calls the management API with a management token. */
export const withToken = (gateway: Gateway, token: string, method: string, path: string, body?: unknown) =>
  send(gateway, method, path, body, { authorization: `Bearer ${token}` });

/** Signs in on the sign-in page, to which any other page leads. */
export async function signInAs(page: Page, name: string, password = OPERATOR_PASSWORD): Promise<void> {
  await page.getByLabel('Name or e-mail address').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  // The navigation is in a drawer on narrow windows.
  await page.locator('#main').waitFor();
}

/** Signs in as the built-in administrator while there are operators. */
export async function signInAsBuiltIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in as built-in administrator' }).click();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  // The navigation is in a drawer on narrow windows.
  await page.locator('#main').waitFor();
}

/** Moves the clock of the service ahead, until the end of the test or until it is called again. */
export function advanceClock(minutes: number): void {
  const now = Date.now.bind(Date);
  const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
  onTestFinished(() => ahead.mockRestore());
}

export const actOn = async (page: Page, name: string, item: string): Promise<void> => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

export const linkNames = (page: Page): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
