import { ensureBuilt } from '../../../dashboard/scripts/ensureBuilt.mjs';

/** Once before all tests: whatever starts the service meets a dashboard that is as new as its sources. */
export default async function setup(): Promise<void> {
  await ensureBuilt({ say: (line: string) => process.stdout.write(`${line}\n`) });
}
