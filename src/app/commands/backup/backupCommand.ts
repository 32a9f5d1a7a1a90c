import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import type { CopiedFile } from '../../../backup/format/manifest.ts';
import { readPassphrase } from '../../../backup/format/passphrase.ts';
import { type MadeBackup, makeBackup } from '../../../backup/make/makeBackup.ts';
import type { CommandIo } from '../../commandLine/command.ts';
import { oneOperand, readArguments, textOption } from '../../commandLine/readArguments.ts';
import { type Config, givenSettings } from '../../config/config.ts';
import { archiveFolderOf } from '../../wiring/archiving.ts';
import { VERSION } from '../../wiring/version.ts';
import { progressPrinter } from '../progressPrinter.ts';
import { describePlace } from './describePlace.ts';
import { settingsFile } from './settingsFile.ts';

export interface BackupCommand {
  readonly file: string;
  /** An earlier backup, which this one continues. */
  readonly since: string | undefined;
  readonly passphraseFile: string | undefined;
}

/** @throws ArgumentsRefused */
export function parseBackupArguments(args: readonly string[]): BackupCommand {
  const text = { type: 'string' } as const;
  const { values, positionals } = readArguments(args, { since: text, 'passphrase-file': text });
  return {
    file: oneOperand(positionals, 'FILE'),
    since: textOption('--since', values.since),
    passphraseFile: textOption('--passphrase-file', values['passphrase-file']),
  };
}

/**
 * `svc backup`: writes the data folder to one file, beside a running service or without one, and reads the file back. The last line
 * names the position up to which the file has the log.
 * @returns the exit code: 1 when the log has events that are not what their hash says
 */
export async function runBackup(
  { file, since, passphraseFile }: BackupCommand,
  config: Config,
  { print, printError }: CommandIo,
): Promise<number> {
  // Requests of the service come first.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
  const path = resolve(file);
  const passphrase = passphraseFile === undefined ? undefined : readPassphrase(passphraseFile);
  const made = await makeBackup({
    folder: resolve(config.SVC_DATA_DIR),
    store: config.SVC_EVENTSTORE_URL === undefined ? 'embedded' : 'eventstore',
    path,
    passphrase,
    since: since === undefined ? undefined : resolve(since),
    otherFiles: otherFilesOf(config),
    svc: VERSION,
    madeAt: new Date().toISOString(),
    onProgress: progressPrinter(printError),
  });
  for (const finding of made.findings) printError(finding);
  if (made.findings.length > 0) printError('The backup has these events as they are. "svc verify" says more.');
  for (const line of describe(made, path, passphrase !== undefined, config)) print(line);
  return made.findings.length === 0 ? 0 : 1;
}

function otherFilesOf({ SVC_PRICES_FILE }: Config): Map<CopiedFile, string> {
  const files = new Map<CopiedFile, string>([['settings.env', settingsFile(givenSettings())]]);
  if (SVC_PRICES_FILE !== undefined) files.set('prices.json', readFileSync(SVC_PRICES_FILE, 'utf8'));
  return files;
}

function* describe(
  { manifest, files, keys, events, bytes }: MadeBackup,
  path: string,
  isEncrypted: boolean,
  config: Config,
): Generator<string> {
  const { since, upTo, store } = manifest;
  const size = sizeOf(bytes);
  if (store === 'eventstore') {
    yield `${path} (${size}) has what is on this node alone: its outbox, checkpoints, id and settings.`;
    yield 'The event log and the keys of the vault are in EventStoreDB: back up the server as its manual says.';
  } else {
    const from = since ? ` after position ${since.upTo.position}` : '';
    yield `${path} (${size}) has ${counted(events, 'event')}${from}, ${counted(keys, 'key')} of the vault, checkpoints and settings.`;
  }
  if (since) yield 'It can only be restored together with the backups that it continues.';
  const keyFiles = files.filter((name) => name.endsWith('.key'));
  if (isEncrypted) yield 'It is encrypted. Without the passphrase it cannot be restored.';
  else if (files.includes('master.key'))
    yield `Anyone who has it can read the provider tokens: ${keyFiles.join(' and ')} ${keyFiles.length === 1 ? 'is' : 'are'} in it, and it is not encrypted (--passphrase-file).`;
  else if (keyFiles.length > 0)
    yield `${keyFiles.join(' and ')} is in it, and it is not encrypted (--passphrase-file).`;
  if (!files.includes('master.key'))
    yield 'The key of the vault is not in it: keep SVC_ENCRYPTION_KEY in another place, without it no token can be read.';
  const archives = archiveFilesIn(archiveFolderOf(config));
  if (archives > 0)
    yield `${archives} archive ${archives === 1 ? 'file is' : 'files are'} not in it: copy ${archiveFolderOf(config)} as well. Archive files never change.`;
  yield store === 'eventstore'
    ? `Verified. This node had read EventStoreDB up to position ${describePlace(upTo)}.`
    : `Verified. The backup has the log up to position ${describePlace(upTo)}.`;
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const MIB = 1_048_576;
const sizeOf = (bytes: number): string =>
  bytes < MIB ? `${Math.ceil(bytes / 1_024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;

function archiveFilesIn(folder: string): number {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.')).length;
  } catch {
    return 0;
  }
}
