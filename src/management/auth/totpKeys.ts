import type { DomainEvent } from '../../domain/core/event.ts';
import { type KnownEvent, upcast } from '../../domain/eventTypes.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Vault } from '../../vault/vault.ts';

/** Name of the data key of a TOTP secret. */
export const totpKeyOf = (totpId: string): string => `totp-${totpId}`;

/** Destroys the data keys of TOTP secrets that these events disabled, so that no copy of the log can reveal them. */
export async function destroyKeysOfDisabledTotp(vault: Vault, events: readonly DomainEvent[]): Promise<void> {
  for (const { type, data } of events as readonly KnownEvent[]) {
    if (type === 'TotpDisabled') await vault.destroy(totpKeyOf(data.totpId));
  }
}

/**
 * Destroys the data keys of all TOTP secrets that were ever disabled. Runs at start: such keys remain if the process died
 * between event and destruction, or if the vault was restored from a backup.
 */
export async function destroyKeysOfAllDisabledTotp({ log, vault }: { log: EventLog; vault: Vault }): Promise<void> {
  for await (const event of log.readStream(subjects.dashboardAuth.streamOf('main'))) {
    const { type, metadata } = event;
    await destroyKeysOfDisabledTotp(vault, [{ type, data: upcast(type, metadata.schemaVersion, event.data) }]);
  }
}
