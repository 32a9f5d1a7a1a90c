// Installs the real clients when they are missing, then runs the end-to-end tests. Arguments go on to vitest.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { installClients } from './support/install.ts';
import { tempDir } from './support/tempDir.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

await installClients((line) => process.stderr.write(`e2e: ${line}\n`));

// Whatever a test that was cut short leaves behind lies in here.
await using temporary = await tempDir('run');
const vitest = spawn(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/e2e/vitest.config.ts', ...process.argv.slice(2)],
  { cwd: repository, stdio: 'inherit', env: { ...process.env, TMPDIR: temporary.path } },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal));
const [exitCode] = (await once(vitest, 'close')) as [number | null];
process.exitCode = exitCode ?? 1;
