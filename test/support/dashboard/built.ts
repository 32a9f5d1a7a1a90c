import { ensureBuilt } from '../../../dashboard/scripts/ensureBuilt.mjs';

/** Global set-up of vitest: builds the dashboard if its sources have changed. */
export default async function setup(): Promise<void> {
  await ensureBuilt({ print: (line: string) => process.stdout.write(`${line}\n`) });
}
