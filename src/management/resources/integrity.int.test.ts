import { beforeAll, expect, test } from 'vitest';
import { browser, setUp } from '../../../test/support/browser.ts';
import { rootOfLog } from '../../../test/support/integrity/rootOfLog.ts';
import { completed, type Stage, sharedManagement, startManagement } from '../../../test/support/management.ts';
import { VerificationMade } from '../../domain/audit/events.ts';
import { leafHash } from '../../integrity/merkle/hashes.ts';
import { openCheckpoint } from '../../integrity/notes/checkpoint.ts';
import { parseVkey } from '../../integrity/notes/noteKeys.ts';
import { decodeBundle } from '../../integrity/tiles/entryBundle.ts';

const EVENTS = 600;
const VERIFIED = { ok: false, events: EVENTS, findings: 2 };
type VerificationData = Parameters<typeof VerificationMade>[0];

async function withEvents(stage: Stage): Promise<Stage> {
  await stage.append(...Array.from({ length: EVENTS }, () => completed()));
  await stage.tree.reached(EVENTS, 10_000);
  return stage;
}

const aStage = async () => withEvents(await startManagement());

/** For tests that only read. */
const shared = sharedManagement();
beforeAll(() => withEvents(shared()));

const bytesOf = async ({ port }: Stage, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

test('gives the root of the tree, the newest checkpoint and where it is published', async () => {
  const stage = await aStage();
  const root = rootOfLog(`${stage.folder}/log.sqlite`).toString('hex');
  const before = await stage.call('GET', '/api/integrity');
  expect(before.body).toEqual({
    tree_size: EVENTS,
    root,
    public_key: stage.checkpoints.vkey,
    origin: 'svc/test',
    checkpoint: null,
    publishing: [{ kind: 'folder', target: '/published', size: 0, published_at: null, failure: 'no space left' }],
    refusal: null,
    verification: null,
  });
  expect((await stage.call('GET', '/api/log/checkpoint')).body.error.code).toBe('checkpoint_not_found');

  await stage.append(
    VerificationMade({
      ...VERIFIED,
      node: 'test',
      from: 1,
      to: EVENTS,
      kinds: ['deleted'],
      root: null,
    } as VerificationData),
  );
  const { note } = await stage.checkpoints.sign(EVENTS + 1);
  const { body } = await stage.call('GET', '/api/integrity');
  expect(body.checkpoint).toEqual({
    size: EVENTS + 1,
    root: body.root,
    signed_at: expect.any(String),
    note,
  });
  expect(body.verification).toEqual({ ...VERIFIED, at: '2026-01-15T12:00:00.000Z' });
  const { response, bytes } = await bytesOf(stage, '/api/log/checkpoint');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(openCheckpoint(bytes, [parseVkey(body.public_key)])).toMatchObject({ size: EVENTS + 1, origin: 'svc/test' });
});

test('serves tiles and bundles in any width up to the present one', async () => {
  const stage = await aStage();
  const read = (path: string) => bytesOf(stage, `/api/log/tile/${path}`);
  const [bundle, hashes] = [await read('entries/002.p/88'), await read('0/002.p/88')];
  expect(bundle.response.headers.get('content-type')).toBe('application/octet-stream');
  expect(decodeBundle(bundle.bytes)).toHaveLength(88);
  expect(Buffer.concat(decodeBundle(bundle.bytes).map(leafHash))).toEqual(hashes.bytes);
  const full = await read('0/001');
  expect(full.response.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
  expect(full.bytes).toHaveLength(8_192);
  expect((await read('0/001.p/7')).bytes).toEqual(full.bytes.subarray(0, 7 * 32));
  expect((await read('0/002.p/1')).bytes).toEqual(hashes.bytes.subarray(0, 32));
  expect((await read('1/000.p/2')).bytes).toHaveLength(64);
  expect((await read('1/000.p/1')).response.headers.get('cache-control')).toBe('private, max-age=3600, immutable');
  const head = await fetch(`http://127.0.0.1:${stage.port}/api/log/tile/0/001`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '8192']);
  expect(stage.reported).toEqual([]);
});

test('compresses bundles for clients that accept it', async () => {
  const { port } = shared();
  const read = async (path: string, encoding: string) => {
    const headers = { 'accept-encoding': encoding };
    const response = await fetch(`http://127.0.0.1:${port}/api/log/tile/${path}`, { headers });
    const { length } = Buffer.from(await response.arrayBuffer());
    return [response.headers.get('content-encoding'), Number(response.headers.get('content-length')), length];
  };
  const [none, plain = 0, length] = await read('entries/001', 'identity');
  expect([none, plain]).toEqual([null, length]);
  const [encoding, sent, decoded] = await read('entries/001', 'gzip');
  expect([encoding, decoded]).toEqual(['gzip', length]);
  expect(sent).toBeLessThan(Number(plain) / 3);
  expect(await read('0/001', 'gzip')).toEqual([null, 8_192, 8_192]);
});

test.each([
  '0/002',
  '0/002.p/89',
  '0/003.p/1',
  '1/000',
  '1/000.p/3',
  '2/000.p/1',
  'entries/002',
  'entries/x000/001',
  '0/1',
  '00/000',
  '0/000.p/256',
  '0/000.p/0',
  '0/%30%30%30',
  '0/000/',
  '0//000',
  'entries/..%2f000',
  '',
])('has no tile at "%s"', async (path) => {
  const stage = shared();
  const { response, bytes } = await bytesOf(stage, `/api/log/tile/${path}`);
  expect(response.status).toBe(404);
  expect(JSON.parse(bytes.toString()).error.code).toMatch(/^(tile_)?not_found$/);
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('requires a session for all of it once there is a password', async () => {
  const stage = await aStage();
  const client = await setUp(stage);
  for (const path of ['/api/integrity', '/api/log/tile/0/001', '/api/log/checkpoint']) {
    expect([path, (await browser(stage).call('GET', path)).status]).toEqual([path, 401]);
    expect([path, (await client.call('GET', path)).status]).not.toEqual([path, 401]);
  }
});

test('says that the tree cannot be read, once', async () => {
  const stage = await aStage();
  await stage.tree.close();
  for (const path of ['/api/integrity', '/api/log/tile/0/001']) {
    const { status, body } = await stage.call('GET', path);
    expect([status, body.error]).toEqual([503, { code: 'proof_unavailable', message: 'The tree is closed' }]);
  }
  expect(stage.reported).toEqual([]);
});
