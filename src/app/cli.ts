import { join, resolve } from 'node:path';
import { openDataFolder } from '../dataFolder/dataFolder.ts';
import { DataFolderInUse } from '../dataFolder/folderLock.ts';
import { requireLogFile } from '../dataFolder/requireLogFile.ts';
import type { HistoryTarget } from '../eventLog/transfer/history.ts';
import { escapeText } from '../lib/log/escapeText.ts';
import { readConfig, readLogFormat } from './config/config.ts';
import type { Service } from './runService.ts';
import { serviceSignals } from './serviceSignals.ts';
import { isOperatorError, reportText } from './wiring/reportText.ts';

// Each command imports what it needs, so that none loads the modules of the others.

// The output of a command is its result; what the service writes goes through its log.
const print = (line: string) => process.stdout.write(`${escapeText(line)}\n`);
const printError = (line: string) => process.stderr.write(`${escapeText(line)}\n`);

/** Behind the usage, where it is seen. */
const notUnderstood = (words: readonly string[]): string =>
  `Not understood: svc ${words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')}. What svc takes is said above.`;
/** An error that an operator can act on is one sentence; only bugs are printed with their stack. */
const reportError = (error: unknown) => {
  for (const line of (isOperatorError(error) ? (error as Error).message : reportText(error)).split('\n'))
    printError(line);
};

const USAGE = `Usage: svc <command>

  serve                   Run the service. Settings come from the environment, see README.md.
  rebuild                 Rebuild read models and tree from the event log. Stop the service first, except with MongoDB.
  rebuild --compare       Rebuild them in a temporary copy and compare; exit code 1 if anything differs.
  verify [FILE]           Verify the event log, an export or an evidence bundle: hashes, chains, positions, the fold and the
                          read models. Works beside the service and writes nothing. --from N, --to N: only these positions;
                          --checkpoints DIR: compare with published checkpoints; --public-key KEY: the key of the log, or a
                          file with it; --json: print one JSON object. Exit code 0 intact, 1 something was found, 2 it could
                          not be verified.
  explain REQUEST         Say why a request went where it went, or why it was refused: key, limits, accounts, attempts, cost.
                          Works beside the service and changes nothing. --json: print one JSON object.
  replay                  Repeat every decision about requests from the log alone, and name those that give another result.
                          Works beside the service and changes nothing. --since TIME, --until TIME: only requests made
                          then; --json: print one JSON object; --csv: one figure a line. Exit code 0 all repeat, 1 some do
                          not, 2 it could not run. What if: --strategy NAME, --settings FILE, --limits FILE, --prices FILE,
                          --without-account ID, --plus-account PLAN or FILE (both also several times): play the period
                          again with these, and print what would have happened beside what did. No provider is called.
  show SUBJECT            Print a resource as the API shows it. --at MOMENT: as it was then, a position of the log or a time;
                          --json: print one JSON object. SUBJECT is a name of History, such as account-<id>, apiKey-<id>,
                          settings, firewall, pricing or request-<id>; an API key also by its name or prefix. Like diff,
                          blame and step it works beside the service, on a stopped folder and on a log whose start is
                          refused, and changes nothing. Exit code 0, or 2 when it could not run.
  diff SUBJECT --from MOMENT [--to MOMENT]
                          Print which fields of a resource differ between two moments; --json: print one JSON object.
                          Exit code 0, also when there are differences, or 2 when it could not run.
  blame SUBJECT           Print each field of a resource with the event that set it last, its actor and its time. --at MOMENT: of
                          the fields as they were then; --json: print one JSON object.
  step --from MOMENT [--to MOMENT] [--subject SUBJECT]
                          Go through events one by one, with the state before, after and what differs: forward and back by
                          keys at a terminal, else as a list; --json: print one JSON object per line.
  evidence FILE           Write events with the proof that they were recorded to a new file, which "svc verify FILE" and any
                          browser check without this machine. Which events: --since TIME, --until TIME, with --request ID
                          or --subject SUBJECT if wanted; --incident: also what the state before the period depends on. TIME
                          is a day (UTC) or like 2026-01-31T12:00:00Z. Works beside the service.
  open BUNDLE             Verify an evidence bundle and serve what is in it, read-only, on the loopback interface: dashboard and
                          API as they were, at any position within it. --port N; default: a free one. Needs no data folder;
                          what it writes is in the temporary folder and removed at the end.
  export FILE             Export all events and keys to a file. Stop the service first.
  import FILE             Import an export into an empty store: EventStoreDB if SVC_EVENTSTORE_URL is set, otherwise
                          the data folder.
  reset-password          Set a new dashboard password and end all sessions. Stop the service first.
  reset-password --totp   Disable two-factor authentication as well, if the authenticator is lost.
  outbox list             List the events that EventStoreDB will never take, which are parked in the outbox of this node.
  outbox retry [ID ...]   Put them, or those with these ids, back to be drained. Stop the service first.
  outbox export FILE      Write them to a new file, one line of JSON each; with --remove also take them out of the outbox
                          (stop the service first).
  archive --until DAY     Write closed days of requests up to DAY (2026-11-01, UTC) to files and remove them from the log, whose
                          proofs, counters and charts stay. --days N: keep the last N days; default SVC_RETENTION_REQUEST_DAYS.
                          --dir DIR: the folder of the files; --compact: make the log's file smaller. Stop the service first.
  restore-archive DAY     Put an archived day back into the log, or that of an archive FILE. Stop the service first.
  hold list               List the legal holds and the deleted accounts whose data keys they keep. Stop the service first, or use
                          /api/holds; so for the next two.
  hold place --reason TEXT [--subject SUBJECT] [--from TIME] [--until TIME]
                          Keep what matches from being archived and destroyed: events of a subject (apiKey-<id>, account-<id> or
                          request-<id>), of a period, or everything.
  hold lift ID --reason TEXT
                          End a legal hold, and destroy the data keys that no other hold keeps.
  accept-clock            Let the windows of limits follow the clock of this machine again after it was wrong, also back.
                          Stop the service first, or use "Accept clock" in the dashboard.
  accept-loss             Continue without events that the log or the outbox has lost, and record in the log that they are
                          missing. svc refuses to start before. Stop the service first.
  accept-loss --vault     Continue without keys that the vault has lost: begin a new vault if there is none, and list the
                          accounts that must sign in again. Stop the service first.
  accept-loss --checkpoint-key
                          Sign checkpoints with the key that svc has now although the one that signed the last is lost: begin
                          a new origin. Stop the service first.
`;

async function serve(): Promise<void> {
  serviceSignals.listen();
  const { openServiceOutput } = await import('./serviceOutput.ts');
  const { print, printFatal } = openServiceOutput(readLogFormat());
  serviceSignals.printTo(print);
  let service: Service | undefined;
  try {
    const config = readConfig();
    const { startService } = await import('./main.ts');
    service = await startService(config, {
      print,
      buildsDashboard: true,
      onFatal(error) {
        printFatal(error);
        void Promise.resolve(service?.stop({ reason: 'failure', detail: error.message })).finally(() =>
          process.exit(1),
        );
      },
    });
  } catch (error) {
    printFatal(error);
    process.exit(1);
  }
  serviceSignals.attach({
    service,
    // Not by itself: while Node takes itself down, a signal that npm repeats would end the process with another code.
    onStopped(error) {
      if (error) printFatal(error);
      process.exit(error ? 1 : 0);
    },
  });
  print(`svc is listening on ${service.url}`);
}

async function rebuild(): Promise<void> {
  const { SVC_DATA_DIR, SVC_NODE_ID, SVC_MONGODB_URL } = readConfig();
  // Checked first, because opening the data folder would create it.
  const logPath = requireLogFile(resolve(SVC_DATA_DIR), logName());
  if (SVC_MONGODB_URL !== undefined) {
    const { rebuildMongoReadModels } = await import('../readModels/mongo/rebuild.ts');
    const end = await rebuildMongoReadModels({
      url: SVC_MONGODB_URL,
      logPath,
      isCopy: isCopy(),
      onProgress: progressPrinter(),
    });
    await rebuildTreeUnlessInUse();
    print(`read models rebuilt up to position ${end}`);
    return;
  }
  // The old read models prove the loss, so they must not be replaced.
  const loss = isCopy() ? undefined : await findLoss();
  if (loss) throw loss;
  const { rebuildReadModels } = await import('../readModels/sqlite/rebuild.ts');
  const folder = openDataFolder(SVC_DATA_DIR, { nodeId: SVC_NODE_ID });
  try {
    await rebuildTreeIn(folder.path);
    const end = rebuildReadModels({ folder: folder.path, logName: logName(), onProgress: progressPrinter() });
    print(`read models rebuilt up to position ${end}`);
  } finally {
    folder.close();
  }
}

async function rebuildTreeIn(folder: string): Promise<void> {
  const { rebuildTree } = await import('../integrity/tree/rebuildTree.ts');
  const { describeBreak } = await import('../eventLog/continuity.ts');
  const { size, broken } = rebuildTree({ folder, logName: logName(), onProgress: progressPrinter() });
  if (broken) printError(`The tree ends at position ${size}. ${describeBreak(logName(), broken)}`);
  print(`tree rebuilt up to position ${size}`);
}

/** The service may run while read models in MongoDB are rebuilt; its tree is then in use. */
async function rebuildTreeUnlessInUse(): Promise<void> {
  const { SVC_DATA_DIR, SVC_NODE_ID } = readConfig();
  let folder: ReturnType<typeof openDataFolder>;
  try {
    folder = openDataFolder(SVC_DATA_DIR, { nodeId: SVC_NODE_ID });
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    print('The tree is not rebuilt, because the service uses it. Stop the service first.');
    return;
  }
  try {
    await rebuildTreeIn(folder.path);
  } finally {
    folder.close();
  }
}

/** @returns the differences */
async function compareTreeWithLog(): Promise<readonly string[]> {
  const { compareTree } = await import('../integrity/tree/rebuildTree.ts');
  const compared = compareTree({
    folder: dataFolder().path,
    logName: logName(),
    onProgress: progressPrinter(),
  });
  // A folder of an earlier version, or one that was served for a moment, has no tree.
  if (compared?.differences.length === 0) print(`no difference in the tree, up to position ${compared.size}`);
  return compared?.differences ?? [];
}

async function compare(): Promise<void> {
  const { SVC_DATA_DIR, SVC_MONGODB_URL } = readConfig();
  const { compareReadModels } = await import('../readModels/sqlite/rebuild.ts');
  const treeDifferences = await compareTreeWithLog();
  const onProgress = progressPrinter();
  const { position, rows, differences } =
    SVC_MONGODB_URL === undefined
      ? compareReadModels({ folder: resolve(SVC_DATA_DIR), logName: logName(), onProgress })
      : await (await import('../readModels/mongo/rebuild.ts')).compareMongoReadModels({
          url: SVC_MONGODB_URL,
          logPath: requireLogFile(resolve(SVC_DATA_DIR), logName()),
          isCopy: isCopy(),
          onProgress,
        });
  const all = [...treeDifferences, ...differences];
  if (all.length === 0) {
    print(`no difference in ${rows} rows, up to position ${position}`);
    return;
  }
  for (const difference of all) print(difference);
  printError('the live read models or the tree differ from the log (only the first differences are shown)');
  process.exitCode = 1;
}

/** The data folder, neither locked nor created. */
function dataFolder() {
  const path = resolve(readConfig().SVC_DATA_DIR);
  return { path, file: (name: string) => join(path, name) };
}

/** What the embedded log lacks; undefined when nothing is missing. */
async function findLoss() {
  const { findEmbeddedLoss } = await import('./wiring/knownLog.ts');
  return findEmbeddedLoss(dataFolder(), printError);
}

/** Whether the data folder has a copy of a log that is in EventStoreDB. */
const isCopy = () => readConfig().SVC_EVENTSTORE_URL !== undefined;
const logName = () => (isCopy() ? 'mirror.sqlite' : 'log.sqlite');

async function reset(keepsTotp: boolean): Promise<void> {
  const { resetPassword } = await import('./resetPassword.ts');
  const { password, isTotpRequired } = await resetPassword(readConfig(), { keepsTotp, print });
  print(`The dashboard password is now ${password}`);
  print('Every session has ended. Sign in with it, then change it.');
  if (isTotpRequired)
    print('Signing in still requires a two-factor code; if the authenticator is lost, use reset-password --totp.');
}

async function acceptClockOfMachine(): Promise<void> {
  const { acceptClock } = await import('./acceptClock.ts');
  const accepted = await acceptClock(readConfig(), { print });
  const shown = (time: number) => new Date(time).toISOString();
  print(
    accepted
      ? `Limits count from ${shown(accepted.to)} on, no longer from ${shown(accepted.from)}. What was used meanwhile counts in the current windows.`
      : 'Limits follow the clock of this machine already, so nothing was changed.',
  );
}

async function acceptLosses(): Promise<void> {
  const { acceptLoss } = await import('./acceptLoss.ts');
  const accepted = await acceptLoss(readConfig(), { print });
  print(accepted === 0 ? 'Nothing is missing, so nothing was changed.' : 'svc can be started now.');
}

async function acceptLossOfVault(): Promise<void> {
  const { acceptVaultLoss } = await import('./acceptVaultLoss.ts');
  const accepted = await acceptVaultLoss(readConfig(), { print });
  if (!accepted) {
    print('The vault has the keys of all accounts, so nothing was changed.');
    return;
  }
  const { isNewVault, accountIds, isTotpLost } = accepted;
  if (accountIds.length > 0) {
    print(`Sign in to ${accountIds.length === 1 ? 'this account' : `these ${accountIds.length} accounts`} again:`);
    for (const accountId of accountIds) print(`  ${accountId}`);
  }
  if (isNewVault && accountIds.length > 0)
    print('With the new vault an account may come back under another id. Delete the old entry then.');
  if (isTotpLost) print('The secret of two-factor authentication is lost too: run "svc reset-password --totp".');
  print('svc can be started now.');
}

async function acceptLossOfCheckpointKey(): Promise<void> {
  const { acceptCheckpointKeyLoss } = await import('./acceptCheckpointKeyLoss.ts');
  const lost = await acceptCheckpointKeyLoss(readConfig(), { print });
  print(
    lost
      ? `Accepted: the key that signed the checkpoint of ${lost.checkpoint.size} events of ${lost.checkpoint.origin}. Give the new checkpoint.pub to whoever verifies, after the next start.`
      : 'The key that svc has signed the last checkpoint, so nothing was changed.',
  );
}

/** Opens the history in the configured store for `transfer`, and prints the line that it resolves with. */
async function withHistory(transfer: (history: HistoryTarget) => Promise<string>, onlyReads = false): Promise<void> {
  const config = readConfig();
  const { openHistory } = await import('./wiring/history.ts');
  const folder = openDataFolder(config.SVC_DATA_DIR, { nodeId: config.SVC_NODE_ID });
  try {
    const history = await openHistory(config, folder, print, onlyReads);
    try {
      print(await transfer(history));
    } finally {
      await history.close();
    }
  } finally {
    folder.close();
  }
}

async function exportTo(path: string): Promise<void> {
  if (!isCopy()) {
    requireLogFile(dataFolder().path);
    const loss = await findLoss();
    if (loss) printError(`The export will not have all events. ${loss.description}`);
  }
  await withHistory(async (history) => {
    const { exportHistory } = await import('../eventLog/transfer/transfer.ts');
    let breaks = 0;
    const onBreak = (message: string) => {
      breaks += 1;
      if (breaks <= MAX_PRINTED_BREAKS) printError(`The export will not have all events: ${message}.`);
    };
    const { events, keys } = await exportHistory(history, path, progressPrinter(), onBreak);
    if (breaks > 0) process.exitCode = 1;
    const verified =
      breaks === 0 ? 'each chain of hashes is intact' : `${breaks} events do not continue those before them`;
    return `${events} events and ${keys} keys are in ${path}; ${verified}`;
  }, true);
}

const MAX_PRINTED_BREAKS = 20;

const importFrom = (path: string) =>
  withHistory(async (history) => {
    const { importHistory } = await import('../eventLog/transfer/transfer.ts');
    const { events, keys, alreadyThere } = await importHistory(history, path, progressPrinter());
    const before = alreadyThere > 0 ? ` (${alreadyThere} were there before)` : '';
    return `${events} events${before} and ${keys} keys are written, read back and the same; each chain of hashes is intact`;
  });

/** @returns false for arguments that `outbox` does not have */
async function outbox([action, ...rest]: readonly string[]): Promise<boolean> {
  const { exportOutbox, listOutbox, retryOutbox } = await import('./outboxCommand.ts');
  const options = { config: readConfig(), print };
  const [file] = rest;
  const removes = rest.length === 2 && rest[1] === '--remove';
  if (action === 'list' && file === undefined) listOutbox(options);
  else if (action === 'retry') retryOutbox(rest, options);
  else if (action === 'export' && file !== undefined && (rest.length === 1 || removes))
    await exportOutbox(file, removes, options);
  else return false;
  return true;
}

/** @returns false for arguments that `verify` does not have */
async function verify(args: readonly string[]): Promise<boolean> {
  const { parseVerifyArguments, runVerify } = await import('./verifyCommand.ts');
  const command = parseVerifyArguments(args);
  if (!command) return false;
  try {
    process.exitCode = await runVerify(command, readConfig(), { print, printError });
  } catch (error) {
    reportError(error);
    process.exitCode = 2;
  }
  return true;
}

/** @returns false for arguments that `hold` does not have */
async function hold(args: readonly string[]): Promise<boolean> {
  const { parseHoldArguments, runHold } = await import('./holdCommand.ts');
  const action = parseHoldArguments(args);
  if (!action) return false;
  await runHold(action, readConfig(), { print });
  return true;
}

/** @returns false for arguments that `explain` does not have */
async function explain(args: readonly string[]): Promise<boolean> {
  const { parseExplainArguments, runExplain } = await import('./explainCommand.ts');
  const command = parseExplainArguments(args);
  if (!command) return false;
  try {
    await runExplain(command, readConfig(), { print, printError });
  } catch (error) {
    reportError(error);
    process.exitCode = 2;
  }
  return true;
}

/** @returns false for arguments that `replay` does not have */
async function replay(args: readonly string[]): Promise<boolean> {
  const { parseReplayArguments, runReplay } = await import('./replayCommand.ts');
  const command = parseReplayArguments(args);
  if (!command) return false;
  try {
    process.exitCode = await runReplay(command, readConfig(), { print, printError });
  } catch (error) {
    reportError(error);
    process.exitCode = 2;
  }
  return true;
}

/** @returns false for arguments that `show` does not have */
async function show(args: readonly string[]): Promise<boolean> {
  const { parseShowArguments, runShow } = await import('./past/showCommand.ts');
  const command = parseShowArguments(args);
  return command !== undefined && couldRun(() => runShow(command, readConfig(), { print, printError }));
}

/** @returns false for arguments that `diff` does not have */
async function diff(args: readonly string[]): Promise<boolean> {
  const { parseDiffArguments, runDiff } = await import('./past/diffCommand.ts');
  const command = parseDiffArguments(args);
  return command !== undefined && couldRun(() => runDiff(command, readConfig(), { print, printError }));
}

/** @returns false for arguments that `blame` does not have */
async function blame(args: readonly string[]): Promise<boolean> {
  const { parseBlameArguments, runBlame } = await import('./past/blameCommand.ts');
  const command = parseBlameArguments(args);
  return command !== undefined && couldRun(() => runBlame(command, readConfig(), { print, printError }));
}

/** @returns false for arguments that `open` does not have */
async function open(args: readonly string[]): Promise<boolean> {
  const { openBundle, parseOpenArguments } = await import('./open/openCommand.ts');
  const command = parseOpenArguments(args);
  return (
    command !== undefined &&
    couldRun(async () => {
      const opened = await openBundle(command, { print, printError });
      print(`The bundle is served read-only on ${opened.url}. End it with Ctrl+C.`);
      await new Promise<void>((stop) => {
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop());
      });
      await opened.close();
      process.exit(0);
    })
  );
}

/** @returns false for arguments that `step` does not have */
async function step(args: readonly string[]): Promise<boolean> {
  const { parseStepArguments, runStep } = await import('./past/stepCommand.ts');
  const { terminalKeys } = await import('./past/terminalKeys.ts');
  const command = parseStepArguments(args);
  const keys = process.stdin.isTTY && process.stdout.isTTY ? terminalKeys(process.stdin) : undefined;
  // What reads the listing may have enough of it.
  process.stdout.on('error', () => process.exit(0));
  return command !== undefined && couldRun(() => runStep(command, readConfig(), { print, printError, keys }));
}

/** The exit code is 2 for a command that could not run. */
async function couldRun(run: () => Promise<void>): Promise<true> {
  try {
    await run();
  } catch (error) {
    reportError(error);
    process.exitCode = 2;
  }
  return true;
}

/** @returns false for arguments that `evidence` does not have */
async function evidence(args: readonly string[]): Promise<boolean> {
  const { parseEvidenceArguments, runEvidence } = await import('./evidenceCommand.ts');
  const command = parseEvidenceArguments(args);
  if (!command) return false;
  await runEvidence(command, readConfig(), { print, printError });
  return true;
}

/** @returns false for arguments that `archive` does not have */
async function archive(args: readonly string[]): Promise<boolean> {
  const { parseArchiveArguments, runArchive } = await import('./archiveCommand.ts');
  const command = parseArchiveArguments(args);
  if (command) await runArchive(command, readConfig(), { print });
  return command !== undefined;
}

async function restoreArchive(what: string): Promise<void> {
  const { runRestore } = await import('./archiveCommand.ts');
  await runRestore(what, readConfig(), { print });
}

/** Prints a line per tenth of the log. */
function progressPrinter() {
  let printed = 0;
  return (done: number, of: number) => {
    const percent = of === 0 ? 100 : Math.floor((done / of) * 100);
    if (percent < 100 && percent < printed + 10) return;
    printed = percent;
    print(`${percent} % (${done} of ${of} events)`);
  };
}

// Files are private even where the data folder is not, as in a container's volume.
process.umask(0o077);

const [command, ...args] = process.argv.slice(2);
try {
  if (command === 'serve') {
    await serve();
  } else if (command === 'rebuild' && args.length === 0) {
    await rebuild();
  } else if (command === 'rebuild' && args.length === 1 && args[0] === '--compare') {
    await compare();
  } else if (command === 'export' && args.length === 1) {
    await exportTo(args[0] ?? '');
  } else if (command === 'import' && args.length === 1) {
    await importFrom(args[0] ?? '');
  } else if (command === 'reset-password' && (args.length === 0 || (args.length === 1 && args[0] === '--totp'))) {
    await reset(args.length === 0);
  } else if (command === 'accept-clock' && args.length === 0) {
    await acceptClockOfMachine();
  } else if (command === 'accept-loss' && args.length === 0) {
    await acceptLosses();
  } else if (command === 'accept-loss' && args.length === 1 && args[0] === '--vault') {
    await acceptLossOfVault();
  } else if (command === 'accept-loss' && args.length === 1 && args[0] === '--checkpoint-key') {
    await acceptLossOfCheckpointKey();
  } else if (command === 'verify' && (await verify(args))) {
    // Done.
  } else if (command === 'hold' && (await hold(args))) {
    // Done.
  } else if (command === 'explain' && (await explain(args))) {
    // Done.
  } else if (command === 'replay' && (await replay(args))) {
    // Done.
  } else if (command === 'show' && (await show(args))) {
    // Done.
  } else if (command === 'step' && (await step(args))) {
    // Done.
  } else if (command === 'blame' && (await blame(args))) {
    // Done.
  } else if (command === 'open' && (await open(args))) {
    // Done.
  } else if (command === 'diff' && (await diff(args))) {
    // Done.
  } else if (command === 'evidence' && (await evidence(args))) {
    // Done.
  } else if (command === 'archive' && (await archive(args))) {
    // Done.
  } else if (command === 'restore-archive' && args.length === 1) {
    await restoreArchive(args[0] ?? '');
  } else if (command === 'outbox' && (await outbox(args))) {
    // Done.
  } else if (command === 'help' || command === '--help' || command === '-h') {
    process.stdout.write(USAGE);
  } else {
    process.stderr.write(USAGE);
    if (command !== undefined) printError(notUnderstood([command, ...args]));
    process.exitCode = 2;
  }
} catch (error) {
  reportError(error);
  process.exit(1);
}
