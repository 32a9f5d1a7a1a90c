import type { DomainEvent } from '../../domain/core/event.ts';
import { type KnownEvent, upcast } from '../../domain/eventTypes.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Vault } from '../../vault/vault.ts';
import { dataKeyOf } from '../people/directory.ts';

/** Name of the data key of a TOTP secret. */
export const totpKeyOf = (totpId: string): string => `totp-${totpId}`;

/** Destroys the data keys of TOTP secrets that these events disabled, so that no copy of the log can reveal them. */
export async function destroyKeysOfDisabledTotp(vault: Vault, events: readonly DomainEvent[]): Promise<void> {
  for (const { type, data } of events as readonly KnownEvent[]) {
    if (type === 'TotpDisabled' || type === 'OperatorTotpDisabled') await vault.destroy(totpKeyOf(data.totpId));
  }
}

/** Destroys the data keys of the operators whom these events forgot: their names and addresses cannot be read any more. */
export async function destroyKeysOfForgotten(vault: Vault, events: readonly DomainEvent[]): Promise<void> {
  for (const { type, data } of events as readonly KnownEvent[]) {
    if (type === 'OperatorForgotten') await vault.destroy(dataKeyOf(data.operatorId));
  }
}

/**
 * Destroys the data keys of all TOTP secrets that were ever disabled, and of all people who were forgotten. Runs at start: such keys remain if the process died
 * between event and destruction, or if the vault was restored from a backup.
 */
export async function destroyKeysOfAllDisabledTotp({ log, vault }: { log: EventLog; vault: Vault }): Promise<void> {
  for (const { streamOf } of [subjects.dashboardAuth, subjects.operator]) {
    for await (const event of log.readStream(streamOf('main'))) {
      const { type, metadata } = event;
      const known = [{ type, data: upcast(type, metadata.schemaVersion, event.data) }];
      await destroyKeysOfDisabledTotp(vault, known);
      await destroyKeysOfForgotten(vault, known);
    }
  }
}
