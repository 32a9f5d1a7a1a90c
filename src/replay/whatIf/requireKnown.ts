import { openForReading } from '../../eventLog/sqlite/database.ts';
import { EVERY_KEY, InvalidWhatIf, type WhatIf } from './whatIf.ts';

/** @throws InvalidWhatIf naming an account or key of the what-if that the log never had */
export function requireKnown(location: string, { limits, withoutAccounts = [] }: WhatIf): void {
  const database = openForReading(location);
  try {
    const find = database.prepare('SELECT 1 FROM events WHERE stream = ? LIMIT 1');
    for (const id of withoutAccounts)
      if (!find.get(`account-${id}`))
        throw new InvalidWhatIf(`No account ${id} is in the log: leave it out, or correct its id.`);
    for (const id of Object.keys(limits?.keys ?? {}))
      if (id !== EVERY_KEY && !find.get(`apiKey-${id}`))
        throw new InvalidWhatIf(`No API key ${id} is in the log: leave its limits out, or correct its id.`);
  } finally {
    database.close();
  }
}
