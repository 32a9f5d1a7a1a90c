// `npm run demo`: the real service in front of a simulated provider with three accounts, to look at it without an
// account. Nothing is kept.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/app/config/config.ts';
import { type Service, startService } from '../../src/app/main.ts';
import type { SimulatedAccount } from './provider/account.ts';
import { type Provider, startProvider } from './provider/provider.ts';
import { textResponse } from './provider/scripts.ts';

const USUAL_PORT = 2455;
const MODEL = 'gpt-5.5';

const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = ({ message }: Error) => process.stderr.write(`${message}\n`);

const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

let provider: Provider | undefined;
let service: Service | undefined;
let isEnding = false;
async function end(exitCode: number): Promise<void> {
  // A terminal signals the whole process group, npm may pass on its own as well: a second one says nothing new.
  if (isEnding) return;
  isEnding = true;
  await service?.stop().catch(complain);
  await provider?.close();
  process.exit(exitCode);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0));

provider = await startProvider({ maxReceived: 1_000 });
const accounts = [
  provider.addAccount({ plan: 'plus' }),
  provider.addAccount({ plan: 'team' }),
  provider.addAccount({ plan: 'pro' }),
];
for (const account of accounts) {
  account.always(textResponse({ text: `Hello, this is ${account.email} of the simulated provider.`, betweenMs: 50 }));
}

const config = readConfig({
  SVC_PORT: String((await isFree(USUAL_PORT)) ? USUAL_PORT : 0),
  SVC_DATA_DIR: join(folder, 'data'),
  SVC_UPSTREAM_BASE_URL: provider.baseUrl,
  SVC_AUTH_BASE_URL: provider.authUrl,
});
service = await startService(config, {
  say,
  onFatal: (error) => {
    complain(error);
    void end(1);
  },
});
const { url } = service;
for (const account of accounts) await importAccount(account);

say(`
svc listens on ${url}, in front of a simulated provider with ${accounts.length} accounts.

A stream:
  ${curl('/backend-api/svc/responses', { model: MODEL, instructions: '', input: 'Say hi' }, '-N')}

One JSON object:
  ${curl('/v1/responses', { model: MODEL, input: 'Say hi' })}

What was asked so far:
  curl -s ${url}/api/request-logs

Ctrl-C ends it; nothing is kept.
`);

/** @returns a line for a POSIX shell */
function curl(path: string, body: object, ...options: string[]): string {
  const words = ['curl -s', ...options, `${url}${path}`, `-H 'content-type: application/json'`];
  return `${words.join(' ')} -d '${JSON.stringify(body)}'`;
}

async function importAccount(account: SimulatedAccount): Promise<void> {
  const form = new FormData();
  form.set('auth_json', new Blob([JSON.stringify(account.authFile())], { type: 'application/json' }), 'auth.json');
  const answer = await fetch(`${url}/api/accounts/import`, { method: 'POST', body: form });
  if (!answer.ok) throw new Error(`importing ${account.email} ended with ${answer.status}: ${await answer.text()}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
