import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readRows } from '../../../test/histories/forged/forgedFiles.ts';
import { aFolder, honestFolder } from '../../../test/histories/forged/honestLog.ts';
import { archiveFolder } from '../../../test/support/archives/archiveFolder.ts';
import { signFolder } from '../../../test/support/evidence/signedFolder.ts';

const START = fileURLToPath(new URL('../../start.mjs', import.meta.url));
const run = promisify(execFile);

/** Runs a command of svc as its own process. */
async function svc(folder: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, SVC_DATA_DIR: folder };
  try {
    return { code: 0, ...(await run(process.execPath, [START, ...args], { env })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test('explain and evidence name the file of an archived request, and give no result', { timeout: 60_000 }, async () => {
  const folder = await honestFolder(8);
  const request = readRows(folder).find(({ type }) => type === 'RequestCompleted');
  const { requestId } = JSON.parse(request?.data ?? '{}');
  await archiveFolder(folder);
  signFolder(folder, { sizes: [100] });
  const before = readdirSync(folder);
  const target = join(await aFolder(), 'bundle.zip');
  for (const args of [
    ['explain', requestId],
    ['explain', '--json', requestId],
    ['evidence', '--request', requestId, target],
  ]) {
    const { code, stdout, stderr } = await svc(folder, ...args);
    expect([code, stdout]).toEqual([args[0] === 'explain' ? 2 : 1, '']);
    expect(stderr).toMatch(
      new RegExp(
        `^(?:Looking for the events\n)?Request ${requestId} is archived in requests-2026-01-01\\.\\w{12}\\.svcarchive \\(position ${request?.position}\\)`,
      ),
    );
    expect(stderr).not.toMatch(/ at |Error/);
  }
  const unknown = await svc(folder, 'explain', 'req_unknown');
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('The log has no request req_unknown')]);
  expect(readdirSync(folder)).toEqual(before);
});
