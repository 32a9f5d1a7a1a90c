import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../dashboard/scripts/build.mjs', import.meta.url));

/** Global set-up of vitest: builds the dashboard if its sources have changed. */
export default function setup(): void {
  execFileSync(process.execPath, [PROGRAM], { stdio: ['ignore', 'inherit', 'inherit'] });
}
