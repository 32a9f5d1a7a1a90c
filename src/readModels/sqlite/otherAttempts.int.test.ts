import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '../../../test/support/random.ts';
import { OtherAttempts } from './otherAttempts.ts';
import { RequestTable } from './requestTable.ts';

const ACCOUNTS = ['acc_a', 'acc_b', 'acc_c', 'acc_d'];

test.each([1 << 20, 4_000, 0])(
  'has all attempts so far in any order of queries, with %i bytes in memory',
  (maxBytes) => {
    const database = new DatabaseSync(':memory:');
    onTestFinished(() => database.close());
    new RequestTable(database);
    const insert = database.prepare('INSERT INTO otherAttempts VALUES (?, ?, ?, ?, ?)');
    const attempts = new OtherAttempts(database, maxBytes);
    const random = seededRandom(3);
    const pick = () => ACCOUNTS[Math.floor(random() * random() * ACCOUNTS.length)] as string;
    let position = 0;
    for (let round = 0; round < 200; round++) {
      for (let count = Math.floor(random() * 12); count > 0; count--) {
        position += 1 + Math.floor(random() * 3);
        // Later requests may have begun earlier.
        const at = 1_000_000 - Math.floor(random() * 500_000);
        const kind = 1 + Math.floor(random() * 5);
        const tried = new Set([pick(), pick()].slice(0, 1 + Math.floor(random() * 2)));
        for (const [ordinal, account] of [...tried].entries()) insert.run(position, ordinal, account, at, kind);
      }
      const wanted = [pick(), pick(), pick()];
      const expected = database
        .prepare(
          `SELECT DISTINCT requestedAt, position, kindId FROM otherAttempts WHERE accountId IN (SELECT value FROM json_each(?))
         ORDER BY requestedAt, position`,
        )
        .all(JSON.stringify(wanted)) as { requestedAt: number; position: number; kindId: number }[];
      const rows = expected.map((row) => [row.requestedAt, row.position, row.kindId].join()).join(' ');
      // Asked again, as a page and its options do.
      for (const { times, positions, kinds } of [attempts.ofAny(wanted), attempts.ofAny(wanted)])
        expect(Array.from(times, (at, index) => [at, positions[index], kinds[index]].join()).join(' ')).toBe(rows);
      expect(attempts.bytes).toBeLessThanOrEqual(maxBytes);
    }
  },
);
