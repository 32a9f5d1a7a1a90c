import { join, resolve } from 'node:path';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import { describeBreak } from '../../eventLog/continuity.ts';
import type { View } from '../../management/http/views.ts';
import { readMoment } from '../../management/subjects/readMoment.ts';
import type { LogFiles } from '../../replay/logFiles.ts';
import { FilePast } from '../../state/past/filePast.ts';
import { type Moment, MomentArchived } from '../../state/past/past.ts';
import { openVaultForReading } from '../../vault/readOnlyVault.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Config } from '../config/config.ts';
import { endByReadModels } from './endByReadModels.ts';
import { CannotReadLog, withUntouchedLog } from './untouchedLog.ts';

export type PastConfig = Pick<Config, 'SVC_DATA_DIR' | 'SVC_EVENTSTORE_URL' | 'SVC_ENCRYPTION_KEY'> &
  Partial<Pick<Config, 'SVC_ENCRYPTION_KEY_NEW'>>;

export interface CommandIo {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/** The earlier states of a data folder, for commands that only read. */
export interface FolderPast {
  readonly past: FilePast;
  readonly files: LogFiles;
  readonly vault: Vault;
  readonly now: Instant;
  /**
   * The view at a moment; at the end of the log without one.
   * @param option that the text was given for, such as `--at`
   * @throws CannotReadLog when it is no moment, or one whose events are archived
   */
  view(text: string | undefined, option: string): Promise<View>;
  /** Position of the end of a request, if the read models beside the log have it: else the log is searched. */
  endOf(requestId: string): number | undefined;
  /** Prints what readers of the result must know: a log with missing events, a vault that cannot be opened. */
  note(needsVault?: boolean): void;
}

/**
 * Calls `read` with the earlier states of the data folder, beside a running service, over a stopped folder, and over a log whose
 * start is refused. Takes no lock, and changes nothing in the folder.
 * @throws CannotReadLog, and what `read` throws
 */
export async function withPast<Result>(
  config: PastConfig,
  { printError }: CommandIo,
  read: (folder: FolderPast) => Promise<Result>,
): Promise<Result> {
  const folder = resolve(config.SVC_DATA_DIR);
  const opened = openVaultForReading({
    folder,
    masterKey: config.SVC_ENCRYPTION_KEY,
    newMasterKey: config.SVC_ENCRYPTION_KEY_NEW,
  });
  const { vault, deriveKey } = opened;
  try {
    return await withUntouchedLog(config, async (files) => {
      const snapshots = deriveKey && { folder: join(folder, 'snapshots'), key: deriveKey('snapshots') };
      const past = new FilePast({ ...files, snapshots });
      const now = instant(Date.now());
      try {
        return await read({
          past,
          files,
          vault,
          now,
          async view(text, option) {
            if (text === undefined) return viewOf(await past.current(now));
            const moment = readMoment(text, { head: past.head, now });
            if (typeof moment === 'string') throw new CannotReadLog(`${option} ${moment}.`);
            return viewOf(await past.at(moment).catch(refuseArchived));
          },
          endOf: (requestId) => endByReadModels(join(folder, 'readmodels.sqlite'), files.location, requestId),
          note(needsVault = false) {
            if (past.broken) printError(`Events are missing: ${describeBreak('the log', past.broken)}`);
            if (needsVault && opened.problem)
              printError(`E-mail addresses and other sealed values are not shown: ${opened.problem}.`);
          },
        });
      } finally {
        past.close();
      }
    });
  } finally {
    vault.close();
  }
}

const viewOf = ({ state, now }: Moment): View => ({
  state,
  now,
  windowsNow: windowsTime(state.windowsClock, now),
  upTo: { exactly: state.position },
});

/** @throws CannotReadLog for a moment whose events are archived */
export function refuseArchived(error: unknown): never {
  if (!(error instanceof MomentArchived)) throw error;
  const { position, day, file } = error;
  throw new CannotReadLog(
    `The event at position ${position}, which this moment depends on, is archived in ${file}. ` +
      `To read it, restore its day with "svc restore-archive ${day}".`,
  );
}
