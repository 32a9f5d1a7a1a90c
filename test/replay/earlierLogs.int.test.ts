import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { position } from '../../src/domain/core/brands.ts';
import { createReader } from '../../src/eventLog/sqlite/reader.ts';
import { explainFromLog } from '../../src/replay/explain/explainFromLog.ts';
import { replayLog } from '../../src/replay/replayLog.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-earlier-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A log as an earlier build wrote it: 72 requests with cool-downs, refusals, a restart and both strategies. */
function earlierLog(name: string): string {
  const packed = readFileSync(new URL(`../histories/logs/${name}.sqlite.zst`, import.meta.url));
  const location = join(folder, `${name}.sqlite`);
  writeFileSync(location, zstdDecompressSync(packed));
  return location;
}

function eventsOf(location: string) {
  const reader = createReader(location);
  const { events } = reader.page(position(0), reader.head());
  reader.close();
  return events;
}

describe.each([['requestsV1'], ['requestsV2']])('the log %s of an earlier build', (name) => {
  const location = earlierLog(name);
  const events = eventsOf(location);
  const completed = events.filter((event) => event.type === 'RequestCompleted');
  const refused = events.filter((event) => event.type === 'RequestRefused');

  test('repeats every decision', async () => {
    const { differences, ...figures } = await replayLog({ location });
    expect(differences).toEqual([]);
    expect(figures).toMatchObject({ requests: completed.length + refused.length, refusals: refused.length });
    expect(figures.requests).toBe(72);
    expect(figures.choices).toBeGreaterThanOrEqual(completed.length);
    expect(figures.admissions).toBeGreaterThan(20);
  });

  test('explains every request, with the account that the log names', async () => {
    for (const { data, type } of [...completed, ...refused]) {
      const explained = await explainFromLog({ location }, data.requestId);
      const accountId = type === 'RequestCompleted' ? data.accountId : null;
      expect(explained).toMatchObject({ request_id: data.requestId, account_id: accountId });
      if (type === 'RequestRefused' && !explained?.no_account) expect(explained?.admission?.verdict).toBe('refused');
      for (const { account_id: chosen, choice } of explained?.attempts ?? []) {
        expect(choice.candidates).toHaveLength(4);
        const first = choice.candidates.find(({ place }) => place === 1);
        if (choice.by !== 'pin' && choice.by !== 'repeat') expect(first?.account_id).toBe(chosen);
      }
    }
  });
});
