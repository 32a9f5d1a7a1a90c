import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { archiveDays, lastDayBefore } from '../../archive/archiveDays.ts';
import type { ArchiveHost } from '../../archive/archiveHost.ts';
import { heldBecause } from '../../archive/archiving.ts';
import { compactLog } from '../../archive/compactLog.ts';
import { restoreDay } from '../../archive/restoreDay.ts';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { requireLogFile } from '../../dataFolder/requireLogFile.ts';
import { instant, type Position } from '../../domain/core/brands.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import { Faults } from '../../lib/faults.ts';
import { rebuildReadModels } from '../../readModels/sqlite/rebuild.ts';
import type { Fold } from '../../state/fold/fold.ts';
import { foldFile } from '../../state/pages/foldFile.ts';
import { firstFold } from '../../state/snapshots/sealedFold.ts';
import { refuseArguments, shown } from '../commandLine/argumentsRefused.ts';
import { noOperand, oneOperand, readArguments } from '../commandLine/readArguments.ts';
import type { Config } from '../config/config.ts';
import { archiveFolderOf } from '../wiring/archiving.ts';
import { openStore } from '../wiring/openStore.ts';
import { userName } from './userName.ts';

export interface ArchiveCommand {
  readonly until: string | undefined;
  readonly days: number | undefined;
  readonly dir: string | undefined;
  readonly isCompacted: boolean;
}

/** `svc archive` cannot be run as it was called; the message says why. */
export class CannotRunArchive extends Error {
  override readonly name = 'CannotRunArchive';
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** @throws ArgumentsRefused */
export function parseArchiveArguments(args: readonly string[]): ArchiveCommand {
  const { values, positionals } = readArguments(args, {
    until: { type: 'string' },
    days: { type: 'string' },
    dir: { type: 'string' },
    compact: { type: 'boolean', default: false },
  });
  noOperand(positionals);
  const { until, days, dir } = values;
  if (until !== undefined && days !== undefined) refuseArguments('--until and --days exclude each other.');
  if (until !== undefined && (!DAY.test(until) || Number.isNaN(Date.parse(until))))
    refuseArguments(`--until must be a day like 2026-01-31, not ${shown(until)}.`);
  if (days !== undefined && !/^\d{1,5}$/.test(days))
    refuseArguments(`--days must be a number of days, not ${shown(days)}.`);
  return { until, days: days === undefined ? undefined : Number(days), dir, isCompacted: values.compact };
}

/** @returns the day or the file of an archive. @throws ArgumentsRefused */
export const parseRestoreArguments = (args: readonly string[]): string =>
  oneOperand(readArguments(args, {}).positionals, 'DAY');

/** What both commands work on. */
type CommandHost = ArchiveHost & { readonly log: EventLog; readonly signal: AbortSignal | undefined };

export interface ArchiveIo {
  readonly print: (line: string) => void;
}

/**
 * `svc archive`: archives the closed days of requests of a stopped data folder.
 * @throws CannotRunArchive | CannotArchive | DataFolderInUse, and what opening the store throws
 */
export async function runArchive(command: ArchiveCommand, config: Config, { print }: ArchiveIo): Promise<void> {
  if (command.isCompacted && config.SVC_EVENTSTORE_URL !== undefined)
    throw new CannotRunArchive(
      '--compact is for a log in the data folder. In EventStoreDB a scavenge frees the space of archived days.',
    );
  const days = command.days ?? config.SVC_RETENTION_REQUEST_DAYS;
  if (command.until === undefined && days === undefined)
    throw new CannotRunArchive(
      'Which days are to be archived is not said: use --until DAY or --days N, or set SVC_RETENTION_REQUEST_DAYS.',
    );
  const folder = archiveFolderOf(config, command.dir);
  await withHost('archive', config, print, async (host) => {
    const until = command.until ?? lastDayBefore(days as number, host.now());
    const { archived, kept } = await archiveDays({
      host,
      folder,
      until,
      heldBecause: holdsOf(host),
      onStep: print,
      signal: host.signal,
    });
    for (const { day, events, file } of archived)
      print(`${events} events of requests of ${day} are in ${join(folder, file.name)} (SHA-256 ${file.sha256})`);
    if (archived.length > 0) remakeReadModels(config, print);
    for (const { day, reason } of kept) print(`${day} stays: ${reason}`);
    if (archived.length === 0) print(`No day up to ${until} was to be archived.`);
  });
  if (!command.isCompacted) return;
  const locked = openDataFolder(resolve(config.SVC_DATA_DIR), { nodeId: config.SVC_NODE_ID });
  try {
    print('Compacting the log');
    const { before, after } = compactLog(locked.file('log.sqlite'));
    print(`The log has ${after} bytes, before ${before}`);
  } finally {
    locked.close();
  }
}

/**
 * `svc restore-archive`: puts an archived day back into the log of a stopped data folder.
 * @param what a day or an archive file
 * @throws CannotArchive | ArchiveFileUnusable | DataFolderInUse, and what opening the store throws
 */
export async function runRestore(what: string, config: Config, { print }: ArchiveIo): Promise<void> {
  const folder = archiveFolderOf(config);
  await withHost('restore-archive', config, print, async (host) => {
    const restored = await restoreDay({
      host,
      folder,
      what: DAY.test(what) ? what : resolve(what),
      onStep: print,
      signal: host.signal,
    });
    remakeReadModels(config, print);
    for (const { header } of restored)
      print(`${header.events} events of requests of ${header.day} are in the log again`);
  });
}

/** The read models of archived days are roll-ups. A running service makes them again by itself. */
function remakeReadModels(
  { SVC_DATA_DIR, SVC_MONGODB_URL, SVC_EVENTSTORE_URL }: Config,
  print: (line: string) => void,
): void {
  const folder = resolve(SVC_DATA_DIR);
  if (SVC_MONGODB_URL !== undefined || !existsSync(join(folder, 'readmodels.sqlite'))) return;
  print('Making the read models again');
  rebuildReadModels({ folder, ...(SVC_EVENTSTORE_URL !== undefined && { logName: 'mirror.sqlite' }) });
}

/** What the holds of a stopped folder forbid. */
function holdsOf({ log, logPath, shared }: CommandHost) {
  let fold: Fold | undefined;
  return async (day: string) => {
    // Other nodes go on while this command runs.
    if (shared) fold = undefined;
    fold ??= await foldOf(logPath, await log.head());
    return heldBecause(fold.state.holds.active.values(), day);
  };
}

async function foldOf(logPath: string, head: Position): Promise<Fold> {
  const fold = firstFold(logPath);
  await foldFile(fold, logPath, head);
  return fold;
}

async function withHost(
  command: string,
  config: Config,
  print: (line: string) => void,
  work: (host: CommandHost) => Promise<void>,
): Promise<void> {
  const path = resolve(config.SVC_DATA_DIR);
  if (config.SVC_EVENTSTORE_URL === undefined) requireLogFile(path);
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(openDataFolder(path, { nodeId: config.SVC_NODE_ID }), (locked) => locked.close());
  const io = { print, report: (error: unknown) => print(String(error)), faults: new Faults({ print, now: Date.now }) };
  const store = await openStore(config, folder, io);
  opened.defer(async () => {
    await store.outbox?.close();
    await store.close();
  });
  const host = {
    log: store.log,
    logPath: store.logPath,
    ...store.archiving,
    actor: { kind: 'cli' as const, command, user: userName() },
    now: () => instant(Date.now()),
  };
  const { shared } = store.archiving;
  // Over EventStoreDB one node does it at a time.
  await (shared ? shared.exclusively((signal) => work({ ...host, signal })) : work({ ...host, signal: undefined }));
}
