import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { readMarkFile } from '../../dataFolder/markFile.ts';
import type { LogEnd } from '../../eventLog/sqlite/logEnd.ts';
import {
  findLogLoss,
  type KnownEnd,
  LogLacksEvents,
  type LogLoss,
  restoreOrAccept,
} from '../../eventLog/sqlite/logLoss.ts';
import { readTreeEnd, TREE_FILE } from '../../integrity/tree/treeFile.ts';
import type { Print } from '../../lib/log/line.ts';
import { readReadModelEnd } from '../../readModels/sqlite/readModelFile.ts';

/** Files of marks in the data folder, beside what they describe (docs/decisions/0059-high-water-mark.md). */
export const MARK_FILES = {
  log: 'log.mark',
  mirror: 'mirror.mark',
  outbox: 'outbox.mark',
  verified: 'verified.mark',
} as const;

/** A loss that was found while a store was opened. */
export interface FoundLoss {
  readonly of: 'log' | 'outbox';
  readonly error: LogLacksEvents;
}

/** Called with losses instead of refusing to open a store. */
export type OnLoss = (found: FoundLoss) => void;

/**
 * How far the log in a data folder is known to have reached: by its mark, and by read models and the tree in the folder, which
 * are made from the log and never ahead of it.
 * @param logName the log's file
 * @param name of the mark
 */
export function knownEnds(
  folder: Pick<DataFolder, 'file'>,
  logName: 'log.sqlite' | 'mirror.sqlite',
  name: string,
  print: Print,
): KnownEnd[] {
  const known: KnownEnd[] = [];
  const content = readMarkFile<LogEnd>(folder.file(name));
  if (content.kind === 'mark') known.push({ ...content.mark, source: name });
  if (content.kind === 'damaged')
    print(`${folder.file(name)} is damaged. It is written again from what the log has now.`, {
      level: 'warn',
      code: 'mark_damaged',
      subject: folder.file(name),
    });
  const readModels = readReadModelEnd(folder.file('readmodels.sqlite'));
  if (readModels) known.push({ ...readModels, hash: null, time: null, source: 'readmodels.sqlite' });
  const tree = readTreeEnd(folder.file(TREE_FILE), folder.file(logName));
  if (tree) known.push({ ...tree, hash: null, source: TREE_FILE });
  return known;
}

/** The loss of the embedded log in a folder, if there is one. Only reads. */
export function findEmbeddedLoss(folder: Pick<DataFolder, 'file'>, print: Print): LogLacksEvents | undefined {
  const path = folder.file('log.sqlite');
  const loss = readLoss(path, knownEnds(folder, 'log.sqlite', MARK_FILES.log, print));
  return lossError(path, loss, restoreOrAccept(path, loss?.known.source));
}

/** A file that cannot be read is reported by whatever opens the log. */
function readLoss(path: string, known: readonly KnownEnd[]): LogLoss | undefined {
  try {
    return findLogLoss(path, known);
  } catch (error) {
    if ((error as { errcode?: number }).errcode === undefined) throw error;
    return undefined;
  }
}

const lossError = (path: string, loss: LogLoss | undefined, remedy: string): LogLacksEvents | undefined =>
  loss && new LogLacksEvents(path, loss, remedy);
