import { expect, test } from 'vitest';
import { createRandom } from '../../../test/support/random.ts';
import { CompactRange } from './compactRange.ts';
import { fullSubtreeRoot, leafHash } from './hashes.ts';
import { MerkleTree } from './merkleTree.ts';

const leaves = Array.from({ length: 1_500 }, (_, index) => leafHash(`leaf ${index}`));

test('has the root of the tree at every size', () => {
  const [range, tree] = [new CompactRange(), new MerkleTree()];
  expect(range.root()).toEqual(tree.root());
  for (const hash of leaves) {
    range.append(hash);
    tree.appendHash(hash);
    expect(range.root()).toEqual(tree.root());
  }
  expect(range.size).toBe(leaves.length);
});

test('has the same root when it is made of subtrees of any size', () => {
  const random = createRandom(1);
  const [range, tree] = [new CompactRange(), new MerkleTree()];
  for (const hash of leaves) tree.appendHash(hash);
  while (range.size < leaves.length) {
    const fitting = [1, 2, 4, 8, 16, 64, 256].filter(
      (width) => range.size % width === 0 && range.size + width <= leaves.length,
    );
    const width = random.pick(fitting);
    range.append(fullSubtreeRoot(Buffer.concat(leaves.slice(range.size, range.size + width))), width);
  }
  expect(range.root()).toEqual(tree.root());
});
