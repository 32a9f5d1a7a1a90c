import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { vi } from 'vitest';
import { readMarkFile } from '../../../src/dataFolder/markFile.ts';
import type { LogEnd } from '../../../src/eventLog/sqlite/logEnd.ts';

/** Waits until the mark of a file in a data folder has followed it, which takes milliseconds. @param name `log` or `outbox` */
export async function untilMarkReachesEnd(folder: string, name: string): Promise<void> {
  using database = new DatabaseSync(join(folder, `${name}.sqlite`), { readOnly: true });
  const last = database.prepare('SELECT max(position) AS last FROM events');
  await vi.waitUntil(
    () => {
      const content = readMarkFile<LogEnd>(join(folder, `${name}.mark`));
      return content.kind === 'mark' && content.mark.position === last.get()?.last;
    },
    { timeout: 5_000, interval: 5 },
  );
}
