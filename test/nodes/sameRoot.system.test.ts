import { expect, test, vi } from 'vitest';
import { parseVkey } from '../../src/integrity/notes/noteKeys.ts';
import { parseProof, verifyProof } from '../../src/integrity/notes/tlogProof.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type ClusterNode, openCluster } from './cluster.ts';

const soon = { timeout: 30_000, interval: 50 };
const KEY = 'ab'.repeat(32);

test('nodes over one EventStoreDB have the same root, also one that joins later', { timeout: 90_000 }, async () => {
  const cluster = await openCluster();
  const env = { SVC_CHECKPOINT_KEY: KEY };
  const [a, b] = await Promise.all([cluster.inProcessNode('a', env), cluster.inProcessNode('b', env)]);
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await a.api.importAccount(account);
  await vi.waitUntil(async () => (await b.ask()) === 200, soon);
  for (let request = 0; request < 20; request += 1) await Promise.all([a.ask(), b.ask()]);
  const c = await cluster.inProcessNode('c', env);

  const integrityOf = ({ api }: ClusterNode) => api.call('GET', '/api/integrity');
  // Events still come in, such as usage; at some size the nodes meet.
  await vi.waitFor(async () => {
    const [first, ...others] = await Promise.all([a, b, c].map(integrityOf));
    expect(first.tree_size).toBeGreaterThan(40);
    for (const other of others) expect([other.tree_size, other.root]).toEqual([first.tree_size, first.root]);
  }, soon);
  expect((await integrityOf(c)).public_key).toBe((await integrityOf(a)).public_key);

  // Any node proves what another one recorded.
  const { rows } = await a.api.requestLog(50);
  expect(rows.length).toBeGreaterThan(40);
  const { public_key } = await integrityOf(a);
  for (const node of [a, b, c]) {
    const { proof, entry } = await node.api.call('GET', `/api/receipts/${rows.at(-1)?.request_id}`);
    expect(verifyProof(parseProof(proof), entry, [parseVkey(public_key)]).size).toBeGreaterThan(0);
  }
});
