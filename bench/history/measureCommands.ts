import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runExplain } from '../../src/app/commands/explainCommand.ts';
import { readConfig } from '../../src/app/config/config.ts';
import { runBlame } from '../../src/app/past/blameCommand.ts';
import { runDiff } from '../../src/app/past/diffCommand.ts';
import { runShow } from '../../src/app/past/showCommand.ts';
import { makeSnapshot } from '../../src/state/snapshots/makeSnapshot.ts';
import { SnapshotFolder, snapshotKey } from '../../src/state/snapshots/snapshotFolder.ts';
import { deriveKey, parseMasterKey } from '../../src/vault/masterKey.ts';

/** Without its position, the command looks for a request from the end of the log. */
const EXPLAIN_ROUNDS = 5;

export interface CommandsOptions {
  readonly folder: string;
  readonly head: number;
  readonly keyId: string;
  /** A request near the end of the log, and one in its middle. */
  readonly requests: readonly [late: string, middle: string];
  readonly measure: (label: string, work: (round: number) => Promise<number>, count?: number) => Promise<void>;
}

const START = fileURLToPath(new URL('../../src/start.mjs', import.meta.url));

/**
 * Times the commands at random moments of the log: without the start of a process, where each opens the folder again, and then as
 * whole processes, from the bundle if `npm run build` has made one of the present sources.
 */
export async function measureCommands({ folder, head, keyId, requests, measure }: CommandsOptions): Promise<void> {
  const masterKey = keyOf(folder);
  const config = readConfig({ SVC_DATA_DIR: folder, SVC_ENCRYPTION_KEY: masterKey });
  if (!hasSnapshot(folder, masterKey, head)) writeSnapshot(folder, masterKey);
  const at = (round: number) => 100 + ((round * 7_919_993) % (head - 100));
  const subject = `apiKey-${keyId}`;
  const isJson = true;
  const printed = async (command: (io: Parameters<typeof runShow>[2]) => Promise<void>) => {
    let length = 0;
    await command({
      print: (line) => {
        length += line.length;
      },
      printError: () => undefined,
    });
    return length;
  };
  await measure('svc show apiKey --at', (round) =>
    printed((io) => runShow({ subject, at: String(at(round)), isJson }, config, io)),
  );
  await measure('svc diff apiKey --from --to', (round) => {
    const [from, to] = [at(round), at(round + 1)].toSorted((a, b) => a - b).map(String);
    return printed((io) => runDiff({ subject, from: from ?? '', to, isJson }, config, io));
  });
  await measure('svc blame apiKey --at', (round) =>
    printed((io) => runBlame({ subject, at: String(at(round)), isJson }, config, io)),
  );
  const asked = [
    ['a late request', requests[0]],
    ['one in the middle', requests[1]],
  ] as const;
  for (const [which, requestId] of asked)
    await measure(
      `svc explain, ${which}`,
      () => printed((io) => runExplain({ requestId, isJson }, config, io)),
      EXPLAIN_ROUNDS,
    );

  const processOf = (args: readonly string[]) => {
    // The caller's NODE_COMPILE_CACHE would be used instead of the one that a command finds.
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [START, ...args, '--json'], {
      env: { ...env, SVC_DATA_DIR: folder, SVC_ENCRYPTION_KEY: masterKey },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`svc ${args.join(' ')}: ${stderr}`);
    return Promise.resolve(stdout.length);
  };
  await measure('process: svc show', (round) => processOf(['show', subject, '--at', String(at(round))]));
  await measure('process: svc diff', (round) => {
    const [from = '', to = ''] = [at(round), at(round + 1)].toSorted((a, b) => a - b).map(String);
    return processOf(['diff', subject, '--from', from, '--to', to]);
  });
  await measure('process: svc blame', (round) => processOf(['blame', subject, '--at', String(at(round))]));
  for (const [which, requestId] of asked)
    await measure(`process: svc explain, ${which}`, () => processOf(['explain', requestId]), EXPLAIN_ROUNDS);
}

/** The master key of a kept folder, so that its snapshot can be used again. */
export function keyOf(folder: string): string {
  const path = join(folder, 'bench.key');
  if (!existsSync(path)) writeFileSync(path, randomBytes(32).toString('base64'), { mode: 0o600 });
  return readFileSync(path, 'utf8').trim();
}

const snapshotsIn = (folder: string, masterKey: string): SnapshotFolder => {
  const key = snapshotKey({ deriveKey: (purpose) => deriveKey(parseMasterKey(masterKey, 'bench'), purpose) });
  return new SnapshotFolder(join(folder, 'snapshots'), key);
};

/** Whether there is a snapshot of this version of svc that ends with the log. */
function hasSnapshot(folder: string, masterKey: string, head: number): boolean {
  const snapshots = snapshotsIn(folder, masterKey);
  const [name] = snapshots.names();
  if (name === undefined) return false;
  try {
    const snapshot = snapshots.open(name);
    snapshot.close();
    return snapshot.position === head;
  } catch {
    return false;
  }
}

/** Writes the snapshot that a service would have. */
function writeSnapshot(folder: string, masterKey: string): void {
  const snapshots = snapshotsIn(folder, masterKey);
  snapshots.clear();
  const logPath = join(folder, 'log.sqlite');
  makeSnapshot({
    logPath,
    folder: snapshots.path,
    key: snapshots.key,
    basis: undefined,
    verifies: false,
    minEvents: 1,
  });
}
