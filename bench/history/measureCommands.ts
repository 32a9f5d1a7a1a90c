import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
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

/** Times the commands at random moments of the log, without the start of a process: each opens the folder again. */
export async function measureCommands({ folder, head, keyId, requests, measure }: CommandsOptions): Promise<void> {
  const masterKey = randomBytes(32).toString('base64');
  const config = readConfig({ SVC_DATA_DIR: folder, SVC_ENCRYPTION_KEY: masterKey });
  writeSnapshot(folder, masterKey);
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
  for (const [index, requestId] of requests.entries())
    await measure(
      `svc explain, ${index === 0 ? 'a late request' : 'one in the middle'}`,
      () => printed((io) => runExplain({ requestId, isJson }, config, io)),
      EXPLAIN_ROUNDS,
    );
}

/** Writes the snapshot that a service would have. */
function writeSnapshot(folder: string, masterKey: string): void {
  const key = snapshotKey({ deriveKey: (purpose) => deriveKey(parseMasterKey(masterKey, 'bench'), purpose) });
  const snapshots = new SnapshotFolder(join(folder, 'snapshots'), key);
  snapshots.clear();
  const logPath = join(folder, 'log.sqlite');
  makeSnapshot({ logPath, folder: snapshots.path, key, basis: undefined, verifies: false, minEvents: 1 });
}
