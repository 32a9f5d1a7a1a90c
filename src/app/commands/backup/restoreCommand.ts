import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Manifest } from '../../../backup/format/manifest.ts';
import { readPassphrase } from '../../../backup/format/passphrase.ts';
import { restoreBackup } from '../../../backup/restore/restoreBackup.ts';
import { openVaultForReading } from '../../../vault/readOnlyVault.ts';
import { refuseArguments } from '../../commandLine/argumentsRefused.ts';
import type { CommandIo } from '../../commandLine/command.ts';
import { readArguments, textOption } from '../../commandLine/readArguments.ts';
import type { Config } from '../../config/config.ts';
import { progressPrinter } from '../progressPrinter.ts';
import { describePlace } from './describePlace.ts';
import { findPublished, recordRestore } from './recordRestore.ts';

export interface RestoreCommand {
  readonly files: readonly string[];
  readonly passphraseFile: string | undefined;
  readonly acceptsFindings: boolean;
}

/** @throws ArgumentsRefused */
export function parseRestoreArguments(args: readonly string[]): RestoreCommand {
  const { values, positionals: files } = readArguments(args, {
    'passphrase-file': { type: 'string' },
    'accept-findings': { type: 'boolean', default: false },
  });
  if (files.length === 0 || files.includes('')) refuseArguments('FILE is missing.');
  const passphraseFile = textOption('--passphrase-file', values['passphrase-file']);
  return { files, passphraseFile, acceptsFindings: values['accept-findings'] };
}

/** `svc restore`: makes a data folder of a backup and the increments that continue it. @throws when it is refused, with what to do */
export async function runRestore(
  { files, passphraseFile, acceptsFindings }: RestoreCommand,
  config: Config,
  { print, printError }: CommandIo,
): Promise<void> {
  const folder = resolve(config.SVC_DATA_DIR);
  const notes: string[] = [];
  const { manifest, findings } = await restoreBackup({
    files: files.map((file) => resolve(file)),
    folder,
    passphrase: passphraseFile === undefined ? undefined : readPassphrase(passphraseFile),
    acceptsFindings,
    async inspect(draft, manifest) {
      if (manifest.store === 'eventstore') return [];
      const { findings, note } = await findPublished(draft, manifest, config);
      if (note !== undefined) notes.push(note);
      return findings;
    },
    async finish(draft, manifest) {
      notes.push(...vaultNotes(draft, manifest, config));
      if (manifest.store === 'embedded') await recordRestore(draft, manifest, config);
    },
    onProgress: progressPrinter(printError),
  });
  for (const finding of findings) printError(finding);
  for (const note of notes) print(note);
  for (const line of nextSteps(folder, manifest)) print(line);
}

function vaultNotes(draft: string, { store }: Manifest, { SVC_ENCRYPTION_KEY }: Config): string[] {
  if (store === 'eventstore' || !existsSync(join(draft, 'vault.sqlite'))) return [];
  if (SVC_ENCRYPTION_KEY === undefined && !existsSync(join(draft, 'master.key')))
    return ['The key of the vault is not in the backup: start svc with the SVC_ENCRYPTION_KEY that it was made with.'];
  const { vault, problem } = openVaultForReading({ folder: draft, masterKey: SVC_ENCRYPTION_KEY });
  vault.close();
  return problem === undefined ? [] : [`The tokens cannot be read with the key that is there: ${problem}.`];
}

function* nextSteps(folder: string, { upTo, madeAt, store }: Manifest): Generator<string> {
  if (existsSync(join(folder, 'settings.env')))
    yield `The settings of the service are in ${join(folder, 'settings.env')}, without secrets; svc does not read that file.`;
  if (store === 'eventstore') {
    yield 'The event log and the keys of the vault are in EventStoreDB. Start svc with the SVC_EVENTSTORE_URL and SVC_ENCRYPTION_KEY of the other nodes.';
    yield `${folder} is restored, as of ${madeAt}; the node had read EventStoreDB up to position ${describePlace(upTo)}.`;
    return;
  }
  yield 'Make sure that the original does not run: both would refresh the same tokens. Tokens that were refreshed since are lost: import these accounts again with ?on_duplicate=replace.';
  yield `${folder} is restored up to position ${describePlace(upTo)}. The restore is recorded at the position after it.`;
}
