import type { CommandIo } from '../../commandLine/command.ts';
import { readConfig } from '../../config/config.ts';
import { acceptCheckpointKeyLoss } from './acceptCheckpointKeyLoss.ts';
import { acceptClock } from './acceptClock.ts';
import { acceptLoss } from './acceptLoss.ts';
import { acceptVaultLoss } from './acceptVaultLoss.ts';

/** Only a running node knows the clocks of the others. */
const NOT_COMPARED =
  'The clock was not accepted: with EventStoreDB other nodes may count in the same windows, and if this clock is the wrong one, limits that are used up would open. ' +
  'Use "Accept clock" in the dashboard of a running node, which compares the clocks. To accept this clock without that, run "svc accept-clock --force".';

/** `svc accept-clock` @throws Error where other nodes may have another time */
export async function acceptClockOfMachine(io: CommandIo): Promise<void> {
  if (readConfig().SVC_EVENTSTORE_URL !== undefined) throw new Error(NOT_COMPARED);
  await acceptClockUnseen(io);
}

/** `svc accept-clock --force` */
export async function acceptClockUnseen({ print }: CommandIo): Promise<void> {
  const accepted = await acceptClock(readConfig(), { print });
  const shown = (time: number) => new Date(time).toISOString();
  print(
    accepted
      ? `Limits count from ${shown(accepted.to)} on, no longer from ${shown(accepted.from)}. What was used meanwhile counts in the current windows.`
      : 'Limits follow the clock of this machine already, so nothing was changed.',
  );
}

/** `svc accept-loss` */
export async function acceptLostEvents({ print }: CommandIo): Promise<void> {
  const accepted = await acceptLoss(readConfig(), { print });
  print(accepted === 0 ? 'Nothing is missing, so nothing was changed.' : 'svc can be started now.');
}

/** `svc accept-loss --vault` */
export async function acceptLostVault({ print }: CommandIo): Promise<void> {
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

/** `svc accept-loss --checkpoint-key` */
export async function acceptLostCheckpointKey({ print }: CommandIo): Promise<void> {
  const lost = await acceptCheckpointKeyLoss(readConfig(), { print });
  print(
    lost
      ? `Accepted: the key that signed the checkpoint of ${lost.checkpoint.size} events of ${lost.checkpoint.origin}. Give the new checkpoint.pub to the people who verify, after the next start.`
      : 'The key that svc has signed the last checkpoint, so nothing was changed.',
  );
}
