import { generateSync } from 'otplib';
import type { Instant } from '../../src/domain/core/brands.ts';
import type { ReceivedResponse, SentRequest } from './call.ts';
import type { Stage } from './management.ts';

/** `remoteAddress` of a management under test: the address that `browser` claims, else that of the socket. */
export const addressOf = ({
  headers,
  socket,
}: {
  headers: NodeJS.Dict<string | string[]>;
  socket: { remoteAddress?: string | undefined };
}) => (headers['x-test-address'] as string | undefined) ?? socket.remoteAddress;

/** A client that keeps its cookies. */
export function browser(
  { call }: Pick<Stage, 'call'>,
  { address, cookie }: { address?: string; cookie?: string } = {},
) {
  const state = { cookie };
  return {
    /** `dashboard_session=...`, the value of the Cookie header. */
    get cookie() {
      return state.cookie;
    },
    async call(method: string, path: string, { headers, body }: SentRequest = {}): Promise<ReceivedResponse> {
      const own = {
        ...(state.cookie === undefined ? {} : { cookie: state.cookie }),
        ...(address === undefined ? {} : { 'x-test-address': address }),
      };
      const response = await call(method, path, { body, headers: { ...own, ...headers } });
      const [setCookie] = response.headers['set-cookie'] ?? [];
      if (setCookie !== undefined) state.cookie = / Max-Age=0;/.test(setCookie) ? undefined : setCookie.split(';')[0];
      return response;
    },
    /** POST below `/api/dashboard-auth/`. */
    post(path: string, body?: unknown): Promise<ReceivedResponse> {
      return this.call('POST', `/api/dashboard-auth/${path}`, body === undefined ? {} : { body });
    },
  };
}

export type Browser = ReturnType<typeof browser>;

export const codeAt = (secret: string, time: Instant): string => generateSync({ secret, epoch: time / 1_000 });

export const PASSWORD = 'correct horse';

/** Sets the first password. @returns a browser with a session */
export async function setUp(stage: Stage, from?: Parameters<typeof browser>[1]): Promise<Browser> {
  const client = browser(stage, from);
  const { status } = await client.post('password/setup', { password: PASSWORD });
  if (status !== 200) throw new Error(`no password set: ${status}`);
  return client;
}

export async function logIn(stage: Stage, from?: Parameters<typeof browser>[1]): Promise<Browser> {
  const client = browser(stage, from);
  const { status } = await client.post('password/login', { password: PASSWORD });
  if (status !== 200) throw new Error(`not signed in: ${status}`);
  return client;
}

/** Sets up TOTP and moves the clock a minute ahead, so that the next code is a new one. @returns the secret */
export async function setUpTotp(stage: Stage, client: Browser): Promise<string> {
  const { body } = await client.post('totp/setup/start');
  const code = codeAt(body.secret, stage.clock.now);
  const { status } = await client.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  if (status !== 200) throw new Error(`TOTP not set up: ${status}`);
  stage.clock.now = (stage.clock.now + 60_000) as Instant;
  return body.secret;
}

export const settings = { sticky_threads_enabled: true, prefer_earlier_reset_accounts: false };

/** Sets up TOTP and requires it for sign-in. @returns the secret */
export async function requireTotp(stage: Stage, client: Browser): Promise<string> {
  const secret = await setUpTotp(stage, client);
  const body = { ...settings, totp_required_on_login: true };
  const { status } = await client.call('PUT', '/api/settings', { body });
  if (status !== 200) throw new Error(`TOTP not required: ${status}`);
  return secret;
}
