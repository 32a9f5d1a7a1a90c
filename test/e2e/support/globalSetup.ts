import { installClients } from './install.ts';
import { tempDir } from './tempDir.ts';

/** Once before all end-to-end tests: installs the real clients when they are missing. */
export default async function setup(): Promise<() => Promise<void>> {
  await installClients((line) => process.stderr.write(`e2e: ${line}\n`));
  // Contains everything that an aborted test leaves behind. Workers inherit the variable.
  const folder = await tempDir('run');
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder.path;
  return async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await folder[Symbol.asyncDispose]();
  };
}
