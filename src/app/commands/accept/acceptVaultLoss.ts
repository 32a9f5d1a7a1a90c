import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import { type DataFolder, openDataFolder } from '../../../dataFolder/dataFolder.ts';
import { damagedFile } from '../../../dataFolder/openDatabase.ts';
import { requireLogFile } from '../../../dataFolder/requireLogFile.ts';
import { type AccountId, instant } from '../../../domain/core/brands.ts';
import { listInParts } from '../../../domain/core/parts.ts';
import { LOSSES_STREAM, VaultLossAccepted } from '../../../domain/losses/events.ts';
import { newEventId } from '../../../eventLog/eventId.ts';
import { type Actor, type EventLog, NO_STREAM } from '../../../eventLog/eventLog.ts';
import { Faults } from '../../../lib/faults.ts';
import { createCommandHandler } from '../../../state/commands/commandHandler.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import { startHotRunner } from '../../../state/hotRunner.ts';
import { firstFold } from '../../../state/snapshots/sealedFold.ts';
import { WrongEncryptionKey } from '../../../vault/masterKey.ts';
import { openSqliteVault } from '../../../vault/sqliteVault.ts';
import { VaultMissing } from '../../../vault/vaultLoss.ts';
import type { Config } from '../../config/config.ts';
import { accountsWithoutKeys } from '../../wiring/lostKeys.ts';
import { openStore } from '../../wiring/openStore.ts';
import { userName } from '../userName.ts';
import { CannotAcceptLoss } from './appendLoss.ts';

export interface AcceptedVaultLoss {
  /** Whether a new vault was begun. */
  readonly isNewVault: boolean;
  /** The accounts that must sign in again. */
  readonly accountIds: readonly AccountId[];
  /** The secret of two-factor authentication is lost too. */
  readonly isTotpLost: boolean;
}

/**
 * Accepts that the embedded vault, or keys in it, are lost: begins a new vault when the present one cannot be used, records in
 * the log whose keys are lost, and deactivates these accounts. No other process may have the folder open.
 * @param print prints lines for the operator
 * @returns undefined when nothing is lost; nothing was changed then
 * @throws CannotAcceptLoss | LogFileMissing | DataFolderInUse, and what opening the store throws
 */
export async function acceptVaultLoss(
  config: Config,
  { print }: { readonly print: (line: string) => void },
): Promise<AcceptedVaultLoss | undefined> {
  if (config.SVC_EVENTSTORE_URL !== undefined) {
    throw new CannotAcceptLoss(
      'The keys of the vault are in EventStoreDB, not in a file. Restore EventStoreDB from a backup, or sign in to the accounts again.',
    );
  }
  const path = resolve(config.SVC_DATA_DIR);
  requireLogFile(path);
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(openDataFolder(path, { nodeId: config.SVC_NODE_ID }), (locked) => locked.close());
  const isNewVault = beginVaultIfUnusable(folder, config.SVC_ENCRYPTION_KEY, print);
  const io = { print, report: (error: unknown) => print(String(error)), faults: new Faults({ print, now: Date.now }) };
  const store = opened.adopt(await openStore(config, folder, io), (open) => open.close());
  const { log, vault } = store;
  const hot = opened.adopt(await startHotRunner(log, () => undefined, firstFold(store.logPath)), (runner) =>
    runner.stop(),
  );
  const accountIds = accountsWithoutKeys(hot.state, vault);
  const totp = hot.state.dashboardAuth.totp;
  const isTotpLost = isNewVault && totp !== null;
  if (!isNewVault && accountIds.length === 0) return undefined;

  const actor = { kind: 'cli', command: 'accept-loss', user: userName() } as const;
  const handle = createCommandHandler({ log, hot });
  for (const accountId of accountIds) {
    const reason = 'the keys of its tokens were lost; sign in again';
    const command = { type: 'DeactivateAccount', accountId, reason, code: 'vault_lost' } as const;
    await handle(subjects.account, accountId, command, { actor, correlationId: randomUUID() });
  }
  // Last: until then a start is refused, and the command can be repeated.
  await record(log, { isNewVault, accountIds }, actor);
  return { isNewVault, accountIds, isTotpLost };
}

/** Sets a vault aside that cannot be opened. @returns whether there is a new one @throws errors that no new vault mends */
function beginVaultIfUnusable(
  folder: DataFolder,
  masterKey: string | undefined,
  print: (line: string) => void,
): boolean {
  const at = { folder: folder.path, masterKey };
  try {
    openSqliteVault({ ...at, mayCreate: false }).close();
    return false;
  } catch (error) {
    const isKeyWrong = error instanceof WrongEncryptionKey;
    // A mistyped key would otherwise cost every account its sign-in.
    if (isKeyWrong && (masterKey !== undefined || existsSync(folder.file('master.key')))) {
      throw new CannotAcceptLoss(
        `${folder.file('vault.sqlite')} is not lost: it was encrypted with another key than ` +
          `${masterKey === undefined ? 'the one in master.key' : 'SVC_ENCRYPTION_KEY'}. Nothing was changed. Give svc the key ` +
          'of the vault. If that key is lost, move vault.sqlite out of the folder and repeat this command.',
      );
    }
    if (!(error instanceof VaultMissing || isKeyWrong || damagedFile(error))) throw error;
  }
  const suffix = `.lost-${new Date().toISOString().replaceAll(/[:.]/g, '')}`;
  for (const name of ['vault.sqlite', 'vault.sqlite-journal']) {
    const file = folder.file(name);
    if (!existsSync(file)) continue;
    renameSync(file, file + suffix);
    if (name === 'vault.sqlite') print(`${file} cannot be used. It is kept as ${file}${suffix}.`);
  }
  openSqliteVault(at).close();
  return true;
}

async function record(
  log: EventLog,
  { isNewVault, accountIds }: Omit<AcceptedVaultLoss, 'isTotpLost'>,
  actor: Actor,
): Promise<void> {
  let revision = NO_STREAM;
  for await (const event of log.readStream(LOSSES_STREAM)) revision = event.revision;
  const correlationId = randomUUID();
  const time = instant(Date.now());
  const events = listInParts(accountIds).map((part) => ({
    ...VaultLossAccepted({ isNewVault, accountIds: [...part] }),
    id: newEventId(),
    time,
    actor,
    correlationId,
  }));
  const outcome = await log.append(LOSSES_STREAM, revision, events);
  if (outcome.kind === 'committed') return;
  const reason = outcome.kind === 'unknown' ? outcome.error.message : 'the log did not accept the event';
  throw new CannotAcceptLoss(`The loss could not be recorded: ${reason}. Run the command again.`);
}
