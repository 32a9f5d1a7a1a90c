// `npm run demo` runs the service with a simulated provider that has three accounts, to try it without an account. All data
// is deleted at the end.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/app/config/config.ts';
import { startService } from '../../src/app/main.ts';
import type { Service } from '../../src/app/runService.ts';
import type { SimulatedAccount } from './provider/account.ts';
import { type Provider, startProvider } from './provider/provider.ts';
import { textResponse } from './provider/scripts.ts';

const DEFAULT_PORT = 2455;
const MODEL = 'gpt-5.5';

const print = (line: string) => process.stdout.write(`${line}\n`);
const printError = ({ message }: Error) => process.stderr.write(`${message}\n`);

const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

let provider: Provider | undefined;
let service: Service | undefined;
let isEnding = false;
async function end(exitCode: number): Promise<void> {
  // A terminal signals the whole process group, and npm may forward its own signal as well: ignore the second one.
  if (isEnding) return;
  isEnding = true;
  await service?.stop().catch(printError);
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
  SVC_PORT: String((await isFree(DEFAULT_PORT)) ? DEFAULT_PORT : 0),
  SVC_DATA_DIR: join(folder, 'data'),
  SVC_UPSTREAM_BASE_URL: provider.baseUrl,
  SVC_AUTH_BASE_URL: provider.authUrl,
});
service = await startService(config, {
  print,
  buildsDashboard: true,
  onFatal: (error) => {
    printError(error);
    void end(1);
  },
});
const { url } = service;
for (const account of accounts) await importAccount(account);

print(`
svc listens on ${url} and uses a simulated provider with ${accounts.length} accounts.

A stream:
  ${curl('/backend-api/svc/responses', { model: MODEL, instructions: '', input: 'Say hi' }, '-N')}

One JSON object:
  ${curl('/v1/responses', { model: MODEL, input: 'Say hi' })}

The requests so far:
  curl -s ${url}/api/request-logs

Press Ctrl-C to stop. All data is deleted then.
`);

/** @returns a command for a POSIX shell */
function curl(path: string, body: object, ...options: string[]): string {
  const words = ['curl -s', ...options, `${url}${path}`, `-H 'content-type: application/json'`];
  return `${words.join(' ')} -d '${JSON.stringify(body)}'`;
}

async function importAccount(account: SimulatedAccount): Promise<void> {
  const form = new FormData();
  form.set('auth_json', new Blob([JSON.stringify(account.authFile())], { type: 'application/json' }), 'auth.json');
  const response = await fetch(`${url}/api/accounts/import`, { method: 'POST', body: form });
  if (!response.ok)
    throw new Error(`importing ${account.email} responded ${response.status}: ${await response.text()}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
