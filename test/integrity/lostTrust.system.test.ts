import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openNoteStore } from '../../src/integrity/checkpoints/noteStore.ts';
import { parseCheckpoint } from '../../src/integrity/notes/checkpoint.ts';
import { parseVkey } from '../../src/integrity/notes/noteKeys.ts';
import { parseNote } from '../../src/integrity/notes/signedNote.ts';
import { checkPublished } from '../../src/integrity/published/checkPublished.ts';
import { readPublished } from '../../src/integrity/published/readPublished.ts';
import { change, stage } from '../support/integrity/publishingStage.ts';
import { startWitness, WITNESS_VKEY } from '../support/integrity/witness.ts';
import { createRandom } from '../support/random.ts';
import { runs } from '../support/runs.ts';

vi.setConfig({ testTimeout: 300_000 });

const KILLS = runs(5).numRuns ?? 5;
const keyIn = (folder: string) => readFileSync(join(folder, 'checkpoint.pub'), 'utf8').trim();

/** Size of the tree in the checkpoint of a receipt; undefined when the service gives none. */
async function sizeInReceipt(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url);
    if (!response.ok) return undefined;
    const { checkpoint } = (await response.json()) as { readonly checkpoint: string };
    return parseCheckpoint(parseNote(checkpoint).text).size;
  } catch {
    // Killed meanwhile.
    return undefined;
  }
}

/** `svc verify --json` of a stopped folder against what was published. */
async function verify({ command, published }: Awaited<ReturnType<typeof stage>>, name: string, vkey: string) {
  const { exitCode, stdout, stderr } = await command(
    name,
    `verify --json --checkpoints ${published} --public-key ${vkey}`,
  );
  expect(stdout, stderr.join('\n')).toHaveLength(1);
  const { ok, findings } = JSON.parse(stdout[0] ?? '');
  return { exitCode, ok, kinds: findings.map(({ kind }: { kind: string }) => kind), notes: stderr.join('\n') };
}

test('a service that is killed while it signs and publishes forks nothing and loses no checkpoint', async () => {
  await using witness = await startWitness();
  const env = { SVC_CHECKPOINT_WITNESS_URL: witness.url, SVC_CHECKPOINT_WITNESS_KEY: WITNESS_VKEY };
  const here = await stage();
  const random = createRandom(Date.now());
  await here.use('a');
  const vkey = keyIn(here.at('a'));
  witness.trusted.push(vkey);
  const given = new Set<number>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const service = here.start('a', env);
    const url = await service.listening();
    let isOver = false;
    const firstReceipt = Promise.withResolvers<void>();
    // Each receipt of an event that no checkpoint covers has one signed, at most one a second.
    const clients = Array.from({ length: 2 }, async () => {
      while (!isOver) {
        const changed = await change(url).then(
          () => true,
          () => false,
        );
        const history = changed && (await fetch(`${url}/api/history?limit=1`).catch(() => undefined));
        const body = history
          ? ((await history.json().catch(() => undefined)) as { events: { position: number }[] } | undefined)
          : undefined;
        const position = body?.events[0]?.position;
        const size = position && (await sizeInReceipt(`${url}/api/receipts/${position}`));
        if (!size) continue;
        given.add(size);
        firstReceipt.resolve();
      }
    });
    // On a busy machine, no checkpoint might be signed within a fixed time.
    await firstReceipt.promise;
    await wait(random.between(0, 3_000));
    await service.kill();
    isOver = true;
    await Promise.all(clients);
  }
  await here.use('a', env);
  const store = openNoteStore(join(here.at('a'), 'checkpoints.sqlite'));
  const signed = store.after(0, 1_000_000).map(({ size }) => size);
  store.close();
  expect(given.size).toBeGreaterThanOrEqual(KILLS);
  expect([...given].filter((size) => !signed.includes(size))).toEqual([]);
  expect(here.sizes().toSorted((left, right) => left - right)).toEqual(signed);
  expect(checkPublished(readPublished(here.published), [parseVkey(vkey), parseVkey(WITNESS_VKEY)]).problems).toEqual(
    [],
  );
  expect(witness.statuses).not.toContain(422);
  expect(Object.values(witness.logs).map(({ size }) => size)).toEqual([signed.at(-1)]);
  expect(await verify(here, 'a', vkey)).toMatchObject({ exitCode: 0, ok: true, kinds: [] });
});

test('svc verify names the accepted loss of the key, and trusts the new key only when it is given', async () => {
  const here = await stage();
  await here.use('a');
  const before = keyIn(here.at('a'));
  rmSync(join(here.at('a'), 'checkpoint.key'));
  expect(await here.use('a')).toMatch(/No checkpoint|checkpoint_key_changed/);
  // Nothing was signed with a key that nobody knows, and the log is as it was.
  expect(await verify(here, 'a', before)).toMatchObject({ exitCode: 0, ok: true, kinds: [] });
  await here.command('a', 'accept-loss --checkpoint-key');
  expect(await here.use('a')).not.toContain('No checkpoint');
  const after = keyIn(here.at('a'));
  expect(after).not.toBe(before);
  const accepted = await verify(here, 'a', after);
  expect(accepted).toMatchObject({ exitCode: 0, ok: true, kinds: [] });
  expect(accepted.notes).toContain(`the key of the checkpoints of ${parseVkey(before).name} was accepted as lost`);
  const old = await verify(here, 'a', before);
  expect(old).toMatchObject({ exitCode: 1, ok: false });
  expect(old.kinds.length).toBeGreaterThan(0);
});

test('a restored copy that a witness contradicts signs nothing before accept-loss, then under a new origin', async () => {
  await using witness = await startWitness();
  const env = {
    SVC_CHECKPOINT_DIR: '',
    SVC_CHECKPOINT_WITNESS_URL: witness.url,
    SVC_CHECKPOINT_WITNESS_KEY: WITNESS_VKEY,
  };
  const here = await stage();
  await here.use('a', env);
  const first = keyIn(here.at('a'));
  witness.trusted.push(first);
  await here.use('a', env);
  here.copy('a', 'backup');
  await here.use('a', env);
  const origin = parseVkey(first).name;
  const seen = witness.logs[origin]?.size ?? 0;
  rmSync(here.at('a'), { recursive: true });
  here.copy('backup', 'a');
  expect(await here.use('a', env)).toMatch(/svc accept-loss/);
  expect(witness.logs[origin]?.size).toBe(seen);
  const { exitCode, stdout } = await here.command('a', 'accept-loss', env);
  expect([exitCode, stdout.at(-1)]).toEqual([0, 'svc can be started now.']);
  const started = here.start('a', env);
  await change(await started.listening());
  await started.stop();
  const second = keyIn(here.at('a'));
  expect(parseVkey(second).name).toMatch(new RegExp(`^${origin}/2-[0-9a-f]{8}$`));
  witness.trusted.push(second);
  await here.use('a', env);
  expect(Object.keys(witness.logs)).toEqual([origin, parseVkey(second).name]);
  expect(witness.logs[origin]?.size).toBe(seen);
  expect(await here.command('a', 'verify --json')).toMatchObject({ exitCode: 0 });
});
