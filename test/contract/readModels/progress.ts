import { describe, expect, test } from 'vitest';
import { position } from '../../../src/domain/core/brands.ts';
import { IpAllowed } from '../../../src/domain/firewall/events.ts';
import type { IpAddress } from '../../../src/domain/firewall/ipAddress.ts';
import { completed } from '../../support/management.ts';
import type { ReadModelsFactory } from '../readModels.ts';

export function progress(createReadModels: ReadModelsFactory): void {
  describe('progress', () => {
    test('reaches the requested position, whatever the event types', async () => {
      await using store = await createReadModels();
      expect(await store.progress.reached(position(0))).toBe(0);
      const head = await store.append(completed(), IpAllowed({ ip: '10.0.0.1' as IpAddress }));
      expect(await store.progress.reached(head)).toBe(head);
    });

    test('waits no longer than 1 s for a position beyond the log', async () => {
      await using store = await createReadModels();
      const head = await store.append(completed());
      await store.progress.reached(head);
      expect(await store.progress.reached(position(head + 1))).toBe(head);
    });
  });
}
