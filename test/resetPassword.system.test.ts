import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { generateSync } from 'otplib';
import { expect, onTestFinished, test } from 'vitest';
import { resetPassword } from '../src/app/commands/resetPassword.ts';
import { readConfig } from '../src/app/config/config.ts';
import { openDataFolder } from '../src/dataFolder/dataFolder.ts';
import { openSqliteVault } from '../src/vault/sqliteVault.ts';
import { startGateway } from './support/gateway.ts';

/** Starting processes takes long on a busy machine. */
const TIMEOUT_MS = 60_000;

const PASSWORD = 'correct horse';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-reset-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the command line in a separate process. */
function svc(folder: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const cli = fileURLToPath(new URL('../src/start.mjs', import.meta.url));
  const child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, SVC_DATA_DIR: folder } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

/** A service whose dashboard has a password; `cookie` belongs to the session that set it. */
async function stage() {
  const folder = temporaryFolder();
  const running = { gateway: await startGateway({ accounts: 0, folder }) };
  onTestFinished(() => running.gateway.stop());
  const call = async (method: string, path: string, body?: unknown, cookie = '') => {
    const response = await fetch(running.gateway.url + path, {
      method,
      headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field
    return { status: response.status, body: (await response.json()) as any, cookie: cookieOf(response) };
  };
  const post = (path: string, body: unknown, cookie = '') => call('POST', `/api/dashboard-auth/${path}`, body, cookie);
  const { cookie } = await post('password/setup', { password: PASSWORD });

  return {
    folder,
    call,
    post,
    cookie,
    async setUpTotp() {
      const started = await post('totp/setup/start', {}, cookie);
      const { secret, setupToken } = started.body;
      await post('totp/setup/confirm', { setupToken, code: generateSync({ secret }) }, cookie);
    },
    async requireTotp() {
      const { body } = await call('GET', '/api/settings', undefined, cookie);
      await call('PUT', '/api/settings', { ...body, totp_required_on_login: true }, cookie);
    },
    /** Stops the service while the work runs. */
    async whileStopped<Result>(work: () => Promise<Result>): Promise<Result> {
      await running.gateway.stop();
      const result = await work();
      running.gateway = await startGateway({ accounts: 0, folder });
      return result;
    },
    events: (type: Parameters<typeof running.gateway.events>[0]) => running.gateway.events(type),
  };
}

const cookieOf = (response: Response) => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
const reset = (folder: string, keepsTotp: boolean) =>
  resetPassword(readConfig({ SVC_DATA_DIR: folder }), { keepsTotp, print: () => undefined });

test(
  'sets a new password, ends every session and records the user',
  async () => {
    const { folder, call, post, cookie, whileStopped } = await stage();
    const { code, out, err } = await whileStopped(() => svc(folder, 'reset-password'));
    expect([code, err]).toEqual([0, '']);
    const [, password] = /password is now ([\w-]{20})\n/.exec(out) ?? [];
    expect((await call('GET', '/api/accounts', undefined, cookie)).status).toBe(401);
    expect((await post('password/login', { password: PASSWORD })).status).toBe(401);
    const again = await post('password/login', { password });
    expect(again.status).toBe(200);
    const { body } = await call('GET', '/api/history?actor=cli', undefined, again.cookie);
    expect(body.events).toMatchObject([
      { type: 'DashboardPasswordChanged', actor: { kind: 'cli', command: 'reset-password', user: expect.any(String) } },
    ]);
  },
  TIMEOUT_MS,
);

test(
  'opens the built-in sign-in again that was closed while there were operators',
  async () => {
    const { folder, call, post, cookie, whileStopped } = await stage();
    const person = { name: 'Ada', email: 'ada@example.com', role: 'member' };
    expect((await call('POST', '/api/operators', person, cookie)).status).toBe(200);
    await call('DELETE', '/api/dashboard-auth/password', { password: PASSWORD }, cookie);
    expect((await call('GET', '/api/accounts')).status).toBe(401);
    const { password } = await whileStopped(() => reset(folder, true));
    expect((await call('GET', '/api/accounts')).status).toBe(401);
    const again = await post('password/login', { password });
    expect([again.status, (await call('GET', '/api/operators', undefined, again.cookie)).status]).toEqual([200, 200]);
  },
  TIMEOUT_MS,
);

test(
  'keeps TOTP unless it is to be disabled too',
  async () => {
    const { folder, call, post, setUpTotp, requireTotp, whileStopped } = await stage();
    await setUpTotp();
    await requireTotp();
    const first = await whileStopped(() => reset(folder, true));
    expect(first.isTotpRequired).toBe(true);
    const pending = await post('password/login', { password: first.password });
    expect(pending.body).toMatchObject({ isTotpRequiredOnLogin: true, isTotpVerified: false });
    expect((await call('GET', '/api/accounts', undefined, pending.cookie)).status).toBe(401);
    const second = await whileStopped(() => reset(folder, false));
    expect(second.isTotpRequired).toBe(false);
    const { body, cookie } = await post('password/login', { password: second.password });
    expect(body).toMatchObject({ isTotpRequiredOnLogin: false, isTotpConfigured: false });
    expect((await call('GET', '/api/accounts', undefined, cookie)).status).toBe(200);
  },
  TIMEOUT_MS,
);

test(
  'destroys the key of a disabled TOTP secret at the start after a crash',
  async () => {
    const { folder, post, setUpTotp, whileStopped, cookie, events } = await stage();
    await setUpTotp();
    const copy = join(temporaryFolder(), 'vault.sqlite');
    await whileStopped(async () => {
      // Restoring a backup simulates a crash in between: it still contains the key.
      const database = new DatabaseSync(join(folder, 'vault.sqlite'));
      database.exec(`VACUUM INTO '${copy}'`);
      database.close();
    });
    const { data } = events('TotpConfigured')[0] as unknown as { data: { secret: never } };
    const opens = () => {
      const held = openDataFolder(folder);
      const vault = openSqliteVault({ folder });
      try {
        return vault.open(data.secret);
      } finally {
        vault.close();
        held.close();
      }
    };
    const loggedIn = await post('totp/disable', {}, cookie);
    expect(loggedIn.status).toBe(200);
    await whileStopped(async () => {
      expect(opens).toThrow();
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `vault.sqlite${suffix}`), { force: true });
      const database = new DatabaseSync(copy);
      database.exec(`VACUUM INTO '${join(folder, 'vault.sqlite')}'`);
      database.close();
      expect(opens()).toMatch(/^[A-Z2-7]+$/);
    });
    await whileStopped(async () => expect(opens).toThrow());
  },
  TIMEOUT_MS,
);

test(
  'refuses without a password, without a log, and while the service runs',
  async () => {
    const empty = temporaryFolder();
    expect(await svc(empty, 'reset-password')).toMatchObject({
      code: 1,
      out: '',
      err: `There is no log in ${empty}: set SVC_DATA_DIR to the data folder.\n`,
    });
    const folder = temporaryFolder();
    const gateway = await startGateway({ accounts: 0, folder });
    const inUse = `${folder} is in use by another svc process. Stop it, or set SVC_DATA_DIR.\n`;
    expect(await svc(folder, 'reset-password')).toMatchObject({ code: 1, out: '', err: inUse });
    await gateway.stop();
    await expect(reset(folder, true)).rejects.toThrow('No dashboard password is set');
  },
  TIMEOUT_MS,
);
