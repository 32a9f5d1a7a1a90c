import { generateSync } from 'otplib';
import type { Instant } from '../../src/domain/core/brands.ts';
import type { Answer, Sent } from './call.ts';
import type { Stage } from './management.ts';

/** Somebody at `address`, for a management whose `remoteAddress` is this. */
export const addressOf = ({
  headers,
  socket,
}: {
  headers: NodeJS.Dict<string | string[]>;
  socket: { remoteAddress?: string | undefined };
}) => (headers['x-test-address'] as string | undefined) ?? socket.remoteAddress;

/** A client that keeps the cookie it was given. */
export function browser(
  { call }: Pick<Stage, 'call'>,
  { address, cookie }: { address?: string; cookie?: string } = {},
) {
  const state = { cookie };
  return {
    /** `dashboard_session=...`, as it would be sent. */
    get cookie() {
      return state.cookie;
    },
    async call(method: string, path: string, { headers, body }: Sent = {}): Promise<Answer> {
      const own = {
        ...(state.cookie === undefined ? {} : { cookie: state.cookie }),
        ...(address === undefined ? {} : { 'x-test-address': address }),
      };
      const answer = await call(method, path, { body, headers: { ...own, ...headers } });
      const [given] = answer.headers['set-cookie'] ?? [];
      if (given !== undefined) state.cookie = / Max-Age=0;/.test(given) ? undefined : given.split(';')[0];
      return answer;
    },
    /** POST below `/api/dashboard-auth/`. */
    post(path: string, body?: unknown): Promise<Answer> {
      return this.call('POST', `/api/dashboard-auth/${path}`, body === undefined ? {} : { body });
    },
  };
}

export type Browser = ReturnType<typeof browser>;

export const codeAt = (secret: string, time: Instant): string => generateSync({ secret, epoch: time / 1_000 });

export const PASSWORD = 'correct horse';

/** @returns a browser with a session; the first one of a management */
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

/** Sets TOTP up; the clock stands a minute later then, so that the next code is another one. @returns the secret */
export async function setUpTotp(stage: Stage, client: Browser): Promise<string> {
  const { body } = await client.post('totp/setup/start');
  const code = codeAt(body.secret, stage.clock.now);
  const { status } = await client.post('totp/setup/confirm', { setupToken: body.setupToken, code });
  if (status !== 200) throw new Error(`TOTP not set up: ${status}`);
  stage.clock.now = (stage.clock.now + 60_000) as Instant;
  return body.secret;
}

export const settings = { sticky_threads_enabled: true, prefer_earlier_reset_accounts: false };

/** TOTP is set up and required from now on. @returns its secret */
export async function requireTotp(stage: Stage, client: Browser): Promise<string> {
  const secret = await setUpTotp(stage, client);
  const body = { ...settings, totp_required_on_login: true };
  const { status } = await client.call('PUT', '/api/settings', { body });
  if (status !== 200) throw new Error(`TOTP not required: ${status}`);
  return secret;
}
