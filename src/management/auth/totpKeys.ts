import type { DomainEvent } from '../../domain/core/event.ts';
import { type KnownEvent, upcast } from '../../domain/eventTypes.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Vault } from '../../vault/vault.ts';

/** Name of the data key of a TOTP secret. */
export const totpKeyOf = (totpId: string): string => `totp-${totpId}`;

/** Makes the secret of TOTP that was taken away unreadable in every copy of the log. */
export async function destroyKeysOfDisabledTotp(vault: Vault, events: readonly DomainEvent[]): Promise<void> {
  for (const { type, data } of events as readonly KnownEvent[]) {
    if (type === 'TotpDisabled') await vault.destroy(totpKeyOf(data.totpId));
  }
}

/**
 * Does so for every TOTP that the log says was disabled. Run at start: a process that died between the event and the
 * destruction of the key leaves it behind, and so does a restored backup.
 */
export async function destroyKeysOfAllDisabledTotp({ log, vault }: { log: EventLog; vault: Vault }): Promise<void> {
  for await (const event of log.readStream(subjects.dashboardAuth.streamOf('main'))) {
    const { type, metadata } = event;
    await destroyKeysOfDisabledTotp(vault, [{ type, data: upcast(type, metadata.schemaVersion, event.data) }]);
  }
}
