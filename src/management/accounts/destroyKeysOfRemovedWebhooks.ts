import { WebhookRemoved } from '../../domain/alert/events.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Vault } from '../../vault/vault.ts';

/** Prefix of the names of the data keys of webhooks. */
const PREFIX = 'webhook-';

/** Name of the data key of a webhook. */
export const webhookKeyOf = (webhookId: string): string => `${PREFIX}${webhookId}`;

/**
 * Destroys the data keys of webhooks that were removed. Runs at start: such a key remains if the process died between event and
 * destruction, or if the vault was restored from a backup.
 */
export async function destroyKeysOfRemovedWebhooks({ log, vault }: { log: EventLog; vault: Vault }): Promise<void> {
  if (vault.keysOf(PREFIX).length === 0) return;
  for await (const { type, data } of log.readStream(subjects.alert.streamOf('main'))) {
    if (type !== WebhookRemoved.type) continue;
    await vault.destroy(webhookKeyOf((data as { webhookId: string }).webhookId));
  }
}
