import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startProvider } from './provider.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: process.env.PORT ?? '4010' },
    accounts: { type: 'string', default: '1' },
    'auth-dir': { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const USAGE = `npm run provider -- [--port 4010] [--accounts 1] [--auth-dir DIR]

  --port       where to listen, on loopback (or PORT)
  --accounts   how many accounts to simulate
  --auth-dir   write an auth file for each of them, to be imported
`;

if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const provider = await startProvider({ port: Number(values.port), acceptsAnyToken: true, maxReceived: 1000 });
while (provider.accounts.length < Number(values.accounts)) provider.addAccount();

process.stdout.write(`Simulated provider on ${provider.baseUrl} (accepts any token)

  SVC_UPSTREAM_BASE_URL=${provider.baseUrl}
  SVC_AUTH_BASE_URL=${provider.authUrl}

`);

if (values['auth-dir']) {
  mkdirSync(values['auth-dir'], { recursive: true });
  for (const [n, account] of provider.accounts.entries()) {
    const file = join(values['auth-dir'], `account-${n + 1}.json`);
    writeFileSync(file, `${JSON.stringify(account.authFile(), null, 2)}\n`, { mode: 0o600 });
    process.stdout.write(`  ${account.email}: ${file}\n`);
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void provider.close().then(() => process.exit(0)));
