import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { requireLogFile } from '../../dataFolder/requireLogFile.ts';
import type { HistoryTarget } from '../../eventLog/transfer/history.ts';
import { exportHistory, importHistory } from '../../eventLog/transfer/transfer.ts';
import type { CommandIo } from '../commandLine/command.ts';
import { readConfig } from '../config/config.ts';
import { openHistory } from '../wiring/history.ts';
import { configuredFolder, findLoss, isCopy } from './configuredLog.ts';
import { progressPrinter } from './progressPrinter.ts';

const MAX_PRINTED_BREAKS = 20;

/** `svc export`: writes all events and keys to a file. @returns the exit code: 1 if the log lacks events */
export async function exportTo(path: string, { print, printError }: CommandIo): Promise<number> {
  if (!isCopy()) {
    requireLogFile(configuredFolder().path);
    const loss = await findLoss(printError);
    if (loss) printError(`The export will not have all events. ${loss.description}`);
  }
  return withHistory(print, { onlyReads: true }, async (history) => {
    let breaks = 0;
    const onBreak = (message: string) => {
      breaks += 1;
      if (breaks <= MAX_PRINTED_BREAKS) printError(`The export will not have all events: ${message}.`);
    };
    const { events, keys } = await exportHistory(history, path, progressPrinter(print), onBreak);
    const verified =
      breaks === 0 ? 'each chain of hashes is intact' : `${breaks} events do not continue those before them`;
    print(`${events} events and ${keys} keys are in ${path}; ${verified}`);
    return breaks === 0 ? 0 : 1;
  });
}

/** `svc import`: writes the events and keys of an export to an empty store, reads them back and compares. */
export const importFrom = (path: string, { print }: CommandIo): Promise<void> =>
  withHistory(print, { onlyReads: false }, async (history) => {
    const { events, keys, alreadyThere } = await importHistory(history, path, progressPrinter(print));
    const before = alreadyThere > 0 ? ` (${alreadyThere} were there before)` : '';
    print(
      `${events} events${before} and ${keys} keys are written, read back and the same; each chain of hashes is intact`,
    );
  });

/** Opens the history in the configured store for `transfer`. */
async function withHistory<Result>(
  print: CommandIo['print'],
  { onlyReads }: { readonly onlyReads: boolean },
  transfer: (history: HistoryTarget) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  const folder = openDataFolder(config.SVC_DATA_DIR, { nodeId: config.SVC_NODE_ID });
  try {
    const history = await openHistory(config, folder, print, onlyReads);
    try {
      return await transfer(history);
    } finally {
      await history.close();
    }
  } finally {
    folder.close();
  }
}
