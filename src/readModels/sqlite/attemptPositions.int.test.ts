import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '../../../test/support/random.ts';
import { AttemptPositions } from './attemptPositions.ts';
import { RequestTable } from './requestTable.ts';

const ACCOUNTS = ['acc_a', 'acc_b', 'acc_c', 'acc_d'];

test.each([1 << 20, 4_000, 0])(
  'has all attempts so far in any order of queries, with %i bytes in memory',
  (maxBytes) => {
    const database = new DatabaseSync(':memory:');
    onTestFinished(() => database.close());
    new RequestTable(database);
    const insert = database.prepare('INSERT INTO otherAttempts VALUES (?, ?, ?, ?, 1)');
    const attempts = new AttemptPositions(database, maxBytes);
    const random = seededRandom(3);
    const pick = () => ACCOUNTS[Math.floor(random() * random() * ACCOUNTS.length)] as string;
    let position = 0;
    for (let round = 0; round < 200; round++) {
      for (let count = Math.floor(random() * 12); count > 0; count--) {
        position += 1 + Math.floor(random() * 3);
        // Later requests may have begun earlier, and an account may be tried twice.
        const at = 1_000_000 - Math.floor(random() * 500_000);
        for (let ordinal = 0; ordinal < 1 + Math.floor(random() * 2); ordinal++)
          insert.run(position, ordinal, pick(), at);
      }
      const account = pick();
      const rows = database
        .prepare('SELECT position FROM otherAttempts WHERE accountId = ? ORDER BY position')
        .all(account);
      expect([...attempts.of(account)]).toEqual(rows.map((row) => row.position));
      expect(attempts.bytes).toBeLessThanOrEqual(maxBytes);
    }
  },
);
