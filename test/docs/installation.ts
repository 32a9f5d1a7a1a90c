import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { authFile } from '../support/authFiles.ts';
import { startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { startGateway } from '../support/gateway.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const codexLb = join(root, 'test/histories/codexLb');

/** Commands that write, which need svc to be stopped: each gets a copy of the data folder. */
const STOPPED =
  /svc -- (accept-|hold |export |import|reset-password|archive |rebuild|outbox (retry|export .*--remove))/;
const OUTBOX = /svc -- outbox /;

/** What commands of the documentation are called as: the programs, with what makes a failure visible. */
const SHIMS = {
  // Starts svc as `npm run svc` does, but where the files of the command are.
  npm: `[ "$1 $2 $3" = "run svc --" ] || exit 99\nshift 3\nexec "${process.execPath}" "${root}src/start.mjs" "$@"`,
  svc: `exec "${process.execPath}" "${root}src/start.mjs" "$@"`,
  // Ends with a code for 4xx and 5xx, and is signed in once the page has set a password.
  curl: `case "$*" in *authorization:*|*" -b "*|"-b "*) session= ;; *) session="-b $HOME/session" ;; esac
exec /usr/bin/curl --fail-with-body $session "$@"`,
};

/** A service with accounts, keys, requests and checkpoints, and what its commands need beside it. */
export async function prepareInstallation() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'));
  const at = (...names: string[]) => join(folder, ...names);
  for (const name of ['bin', 'work', 'backups', 'home/.codex', 'home/.codex-lb', 'checkpoints', 'stopped']) {
    mkdirSync(at(name), { recursive: true });
  }
  for (const [name, script] of Object.entries(SHIMS)) {
    writeFileSync(at('bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(at('bin', name), 0o755);
  }
  writeFileSync(at('home/.codex/auth.json'), JSON.stringify(authFile()));
  writeFileSync(at('home/session'), '');
  cpSync(join(codexLb, 'encryption.key'), at('home/.codex-lb/encryption.key'));
  {
    using database = new DatabaseSync(at('home/.codex-lb/store.db'));
    database.exec(readFileSync(join(codexLb, 'store.sql'), 'utf8'));
  }

  /** Empty, and that of a node. */
  const [eventStore, nodeStore] = [await startFakeEventStore(), await startFakeEventStore()];
  const gateway = await startGateway({
    accounts: 2,
    folder: at('data'),
    env: { SVC_CHECKPOINT_DIR: at('checkpoints') },
  });
  const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'documented' });
  const { body: kept } = await gateway.api('POST', '/api/api-keys', { name: 'kept' });
  const { body: team } = await gateway.api('POST', '/api/teams', { name: 'documented' });
  const [pooled] = gateway.pool;
  const { body: hold } = await gateway.api('POST', '/api/holds', {
    reason: 'case 6',
    subject: `account-${pooled?.id}`,
  });
  const { body: settings } = await gateway.api('GET', '/api/settings');
  const requireKeys = (isRequired: boolean) =>
    gateway.api('PUT', '/api/settings', { ...settings, api_key_auth_enabled: isRequired });
  await requireKeys(true);
  for (let n = 0; n < 3; n++) {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5.5', input: 'Say hi' }),
    });
    await response.text();
  }
  await requireKeys(false);
  // The stop signs a checkpoint over everything.
  await gateway.restart();
  const [request = { requestId: '' }] = gateway.events('RequestCompleted').map(({ data }) => data);
  cpSync(at('data'), at('stopped/data'), { recursive: true });

  const env = {
    ...process.env,
    PATH: `${at('bin')}:${process.env.PATH}`,
    HOME: at('home'),
    SVC_CHECKPOINT_DIR: at('checkpoints'),
    SVC_OAUTH_CALLBACK_PORT: '0',
    SVC_UPSTREAM_BASE_URL: gateway.provider.baseUrl,
    SVC_AUTH_BASE_URL: gateway.provider.authUrl,
  };
  let copies = 0;
  /** The management token that a command has made. */
  let token = '';
  async function sh(
    text: string,
    changes: Record<string, string> = {},
  ): Promise<{ code: number | null; output: string }> {
    const child = spawn('sh', ['-c', text], { cwd: at('work'), env: { ...env, ...changes } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, output: output.slice(0, 1_500) })));
  }
  const job = await makeEvidence();

  /** The names that stand for something in the documentation, and what they are here. */
  const now = Date.now();
  const day = new Date(now).toISOString().slice(0, 10);
  const values: readonly (readonly [RegExp, string])[] = [
    [/(?:http:\/\/127\.0\.0\.1|localhost):2455/g, gateway.url],
    [/req_0193a1b2|req_5f\.\.\.|\bREQUEST\b/g, request.requestId],
    [/apiKey-(?:<id>|7c\.\.\.|…)/g, `apiKey-${kept.id}`],
    [/(?<=api-keys\/)(?:ID|<id>)/g, key.id],
    [/TEAM-ID/g, team.id],
    [/(?<=holds\/)<id>|(?<=hold lift )<id>/g, hold.id],
    [/(?<=jobs\/)<id>/g, job.id],
    [/(?<=evidence\/)EVIDENCE-ID/g, String(job.path).split('/').at(-1) ?? ''],
    [/sk-svc-\.\.\./g, key.key],
    [/\/backups\//g, `${at('backups')}/`],
    [/\/srv\/svc/g, at(`restored-${now}`)],
    [/\/mnt\/checkpoints|\bFOLDER\b/g, at('checkpoints')],
    [/svc\.vkey|\bVKEY\b/g, at('data/checkpoint.pub')],
    // Another file for each command: `$$` is the number of its shell, and each `$` stands twice in a replacement.
    [/\bFILE\b/g, at('work', 'parked-$$$$.ndjson')],
    [/esdb:\/\/\.\.\./g, eventStore.url],
    [/"\$\(cat data\/master\.key\)"/g, `"$(cat ${at('stopped/data/master.key')})"`],
    [/(?<=--from |--since |from": "|since=)20\d\d-\d\d-\d\d(?!T)/g, day],
    [/(?<=--to |--until )20\d\d-\d\d-\d\d(?!T)/g, new Date(now).toISOString()],
    [/(?<=--from |--since |since=)20\d\d-\d\d-\d\dT[\d:]+Z/g, `${day}T00:00:00Z`],
    [/(?<=--until |until=|at=)20\d\d-\d\d-\d\dT[\d:]+Z/g, new Date(now).toISOString()],
    [/184022|48210|48377/g, '8'],
    [/(?<=--from )1000|(?<=--to )2000/g, '5'],
    [/hooks\.slack\.com\/services\/\.\.\./g, 'hooks.example.com/services/7'],
  ];
  const inPlace = (text: string) => values.reduce((done, [name, value]) => done.replaceAll(name, value), text);

  return {
    /** Runs a command of the documentation, as if it were at this installation. */
    async run(text: string): Promise<{ code: number | null; output: string }> {
      copies += 1;
      const changes: Record<string, string> = { SVC_DATA_DIR: at('data') };
      if (STOPPED.test(text)) {
        changes.SVC_DATA_DIR = at('stopped', String(copies));
        if (!/svc -- import/.test(text)) cpSync(at('stopped/data'), changes.SVC_DATA_DIR, { recursive: true });
      }
      if (/svc -- reset-password/.test(text)) await setPassword(changes.SVC_DATA_DIR as string);
      if (/svc -- restore /.test(text)) await backUp();
      if (OUTBOX.test(text)) {
        await startNodeOnce();
        changes.SVC_DATA_DIR = at('node');
        changes.SVC_EVENTSTORE_URL = nodeStore.url;
        changes.SVC_ENCRYPTION_KEY = '11'.repeat(32);
      }
      for (const name of text.match(/\S+\.(?:zip|ndjson)\b/g) ?? []) {
        if (/ verify /.test(text)) await makeIfMissing(name);
        else if (!/svc -- import/.test(text)) rmSync(at('work', name), { force: true });
      }
      const result = await sh(inPlace(text), { ...changes, TOKEN: token });
      token = /"token":"([^"]+)"/.exec(result.output)?.[1] ?? token;
      for (const jar of ['session.txt', 'cookies']) {
        if (existsSync(at('work', jar))) cpSync(at('work', jar), at('home/session'));
      }
      return result;
    },
    async close() {
      await gateway.stop();
      await eventStore[Symbol.asyncDispose]();
      await nodeStore[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  async function makeEvidence() {
    const { body: begun } = await gateway.api('POST', '/api/evidence', {});
    const { body: ended } = await vi.waitFor(async () => {
      const answer = await gateway.api('GET', `/api/jobs/${begun.id}`);
      expect(answer.body.state).toBe('done');
      return answer;
    }, 30_000);
    return { id: begun.id as string, path: ended.result?.path as string };
  }

  /** Such a folder needs a password to be reset. */
  async function setPassword(data: string): Promise<void> {
    const stopped = await startGateway({ accounts: 0, folder: data });
    await stopped.api('POST', '/api/dashboard-auth/password/setup', { password: 'correct horse' });
    await stopped.stop();
  }

  async function backUp(): Promise<void> {
    if (existsSync(at('backups/monday.backup'))) return;
    const [monday, tuesday] = [at('backups/monday.backup'), at('backups/tuesday.backup')];
    await sh(`svc backup ${monday} && svc backup ${tuesday} --since ${monday}`, { SVC_DATA_DIR: at('data') });
  }

  /** The folder of a node with EventStoreDB, which has an outbox. */
  async function startNodeOnce(): Promise<void> {
    if (existsSync(at('node'))) return;
    const env = { SVC_EVENTSTORE_URL: nodeStore.url, SVC_ENCRYPTION_KEY: '11'.repeat(32) };
    const node = await startGateway({ accounts: 0, folder: at('node'), env });
    await node.stop();
  }

  async function makeIfMissing(name: string): Promise<void> {
    if (existsSync(at('work', name))) return;
    const made = name.endsWith('.zip')
      ? `npm run svc -- evidence --since ${day} ${name}`
      : `npm run svc -- export ${name}`;
    await sh(made, { SVC_DATA_DIR: at('stopped/data') });
  }
}
