import { resolve } from 'node:path';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { DataFolderInUse } from '../../dataFolder/folderLock.ts';
import { requireLogFile } from '../../dataFolder/requireLogFile.ts';
import { describeBreak } from '../../eventLog/continuity.ts';
import { compareTree, rebuildTree } from '../../integrity/tree/rebuildTree.ts';
import { compareReadModels, rebuildReadModels } from '../../readModels/sqlite/rebuild.ts';
import type { CommandIo } from '../commandLine/command.ts';
import { readConfig } from '../config/config.ts';
import { configuredFolder, findLoss, isCopy, logName } from './configuredLog.ts';
import { progressPrinter } from './progressPrinter.ts';

/** `svc rebuild`: makes read models and tree again from the log. @throws the loss of a log that lacks events */
export async function rebuild(io: CommandIo): Promise<void> {
  const { SVC_DATA_DIR, SVC_NODE_ID, SVC_MONGODB_URL } = readConfig();
  const { print } = io;
  // Checked first, because opening the data folder would create it.
  const logPath = requireLogFile(resolve(SVC_DATA_DIR), logName());
  if (SVC_MONGODB_URL !== undefined) {
    const { rebuildMongoReadModels } = await import('../../readModels/mongo/rebuild.ts');
    const end = await rebuildMongoReadModels({
      url: SVC_MONGODB_URL,
      logPath,
      isCopy: isCopy(),
      onProgress: progressPrinter(print),
    });
    await rebuildTreeUnlessInUse(io);
    print(`read models rebuilt up to position ${end}`);
    return;
  }
  // The old read models prove the loss, so they must not be replaced.
  const loss = isCopy() ? undefined : await findLoss(io.printError);
  if (loss) throw loss;
  const folder = openDataFolder(SVC_DATA_DIR, { nodeId: SVC_NODE_ID });
  try {
    rebuildTreeIn(folder.path, io);
    const onProgress = progressPrinter(print);
    const end = rebuildReadModels({ folder: folder.path, logName: logName(), onProgress });
    print(`read models rebuilt up to position ${end}`);
  } finally {
    folder.close();
  }
}

function rebuildTreeIn(folder: string, { print, printError }: CommandIo): void {
  const { size, broken } = rebuildTree({ folder, logName: logName(), onProgress: progressPrinter(print) });
  if (broken) printError(`The tree ends at position ${size}. ${describeBreak(logName(), broken)}`);
  print(`tree rebuilt up to position ${size}`);
}

/** The service may run while read models in MongoDB are rebuilt; its tree is then in use. */
async function rebuildTreeUnlessInUse(io: CommandIo): Promise<void> {
  const { SVC_DATA_DIR, SVC_NODE_ID } = readConfig();
  let folder: ReturnType<typeof openDataFolder>;
  try {
    folder = openDataFolder(SVC_DATA_DIR, { nodeId: SVC_NODE_ID });
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    io.print('The tree is not rebuilt, because the service uses it. Stop the service first.');
    return;
  }
  try {
    rebuildTreeIn(folder.path, io);
  } finally {
    folder.close();
  }
}

/** `svc rebuild --compare`: makes them in a temporary copy. @returns the exit code: 1 if anything differs */
export async function compare({ print, printError }: CommandIo): Promise<number> {
  const treeDifferences = compareTreeWithLog(print);
  const { position, rows, differences } = await compareReadModelsWithLog(print);
  const all = [...treeDifferences, ...differences];
  if (all.length === 0) {
    print(`no difference in ${rows} rows, up to position ${position}`);
    return 0;
  }
  for (const difference of all) print(difference);
  printError('the live read models or the tree differ from the log (only the first differences are shown)');
  return 1;
}

async function compareReadModelsWithLog(print: CommandIo['print']) {
  const { path: folder } = configuredFolder();
  const { SVC_MONGODB_URL: url } = readConfig();
  const onProgress = progressPrinter(print);
  if (url === undefined) return compareReadModels({ folder, logName: logName(), onProgress });
  const { compareMongoReadModels } = await import('../../readModels/mongo/rebuild.ts');
  return compareMongoReadModels({ url, logPath: requireLogFile(folder, logName()), isCopy: isCopy(), onProgress });
}

/** @returns the differences */
function compareTreeWithLog(print: CommandIo['print']): readonly string[] {
  const { path: folder } = configuredFolder();
  const compared = compareTree({ folder, logName: logName(), onProgress: progressPrinter(print) });
  // A folder of an earlier version, or one that was served for a moment, has no tree.
  if (compared?.differences.length === 0) print(`no difference in the tree, up to position ${compared.size}`);
  return compared?.differences ?? [];
}
