import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Condition } from './condition.ts';

/** An alert that webhooks were notified of and that the log did not take. */
export interface UnrecordedAlert {
  readonly alertId: string;
  readonly condition: Condition;
}

/** Where alerts wait for a log that takes no events. */
export interface UnrecordedAlerts {
  load(): readonly UnrecordedAlert[];
  save(alerts: readonly UnrecordedAlert[]): void;
}

/**
 * Keeps them in a file, because svc may be restarted or killed while the log is away: who was notified of an alert also learns that it is over.
 * As good as it gets: where not even this file can be written, the alert is forgotten with the process.
 */
export const unrecordedFile = (path: string): UnrecordedAlerts => ({
  load() {
    try {
      const alerts = JSON.parse(readFileSync(path, 'utf8'));
      return Array.isArray(alerts) ? alerts : [];
    } catch {
      return [];
    }
  },
  save(alerts) {
    try {
      if (alerts.length === 0) return rmSync(path, { force: true });
      writeFileSync(`${path}.new`, JSON.stringify(alerts), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch {
      // The disk of the data folder is what the alert is about.
    }
  },
});
