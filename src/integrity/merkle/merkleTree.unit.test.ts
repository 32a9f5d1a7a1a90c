import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { EMPTY_ROOT, leafHash } from './hashes.ts';
import { MerkleTree } from './merkleTree.ts';
import {
  consistencyProof,
  inclusionProof,
  rangeRoot,
  rootFromInclusion,
  type SubtreeHash,
  verifyConsistency,
  verifyInclusion,
} from './proofs.ts';

// RFC 6962, section 2.1, word for word.
const sha256 = (...parts: (Buffer | string)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const k = (n: number) => 2 ** Math.ceil(Math.log2(n) - 1);
function mth(d: readonly string[]): Buffer {
  if (d.length === 0) return sha256('');
  if (d.length === 1) return sha256('\0', d[0] as string);
  return sha256('\x01', mth(d.slice(0, k(d.length))), mth(d.slice(k(d.length))));
}
function path(m: number, d: readonly string[]): Buffer[] {
  if (d.length === 1) return [];
  const left = d.slice(0, k(d.length));
  const right = d.slice(k(d.length));
  return m < left.length ? [...path(m, left), mth(right)] : [...path(m - left.length, right), mth(left)];
}
function subproof(m: number, d: readonly string[], isWhole: boolean): Buffer[] {
  if (m === d.length) return isWhole ? [] : [mth(d)];
  const left = d.slice(0, k(d.length));
  const right = d.slice(k(d.length));
  return m <= left.length
    ? [...subproof(m, left, isWhole), mth(right)]
    : [...subproof(m - left.length, right, false), mth(left)];
}

const entriesOf = (size: number) => Array.from({ length: size }, (_, index) => `entry ${index}`);
const hashIn =
  (entries: readonly string[]): SubtreeHash =>
  (start, end) =>
    mth(entries.slice(start, end));
function treeOf(entries: readonly string[]): MerkleTree {
  const tree = new MerkleTree();
  for (const entry of entries) tree.append(entry);
  return tree;
}

// The test vectors of certificate-transparency (merkle_tree_test.cc), which implementations of RFC 6962 share.
const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

describe('the Merkle tree', () => {
  test('hashes an entry of bytes like its text, whatever its length and the entry before it', () => {
    for (const length of [3, 0, 65_535, 5, 65_536, 200_000, 4]) {
      const text = 'é'.repeat(length / 2) + 'x'.repeat(length % 2);
      expect(leafHash(Buffer.from(text)), `${length} bytes`).toEqual(sha256('\0', text));
      expect(leafHash(text)).toEqual(leafHash(Buffer.from(text)));
    }
  });

  test('has the roots of the shared test vectors', () => {
    const tree = new MerkleTree();
    expect(tree.root().toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    for (const [index, input] of INPUTS.entries()) {
      tree.append(Buffer.from(input, 'hex'));
      expect(tree.root().toString('hex')).toBe(ROOTS[index]);
    }
  });

  test('has the root of the recursive definition at every size up to 600', () => {
    const tree = new MerkleTree();
    const entries = entriesOf(600);
    for (const [index, entry] of entries.entries()) {
      tree.append(entry);
      if (index % 37 === 0 || [254, 255, 256, 511, 512].includes(index)) {
        expect(tree.root()).toEqual(mth(entries.slice(0, index + 1)));
      }
    }
  });

  test('passes on each complete tile once, with the hashes of the level below', () => {
    const tiles: string[] = [];
    const entries = entriesOf(70_000);
    const tree = new MerkleTree((level, index, hashes) => {
      tiles.push(`${level}/${index}`);
      if (level === 0 && index === 2) expect(hashes.subarray(0, 32)).toEqual(leafHash('entry 512'));
      expect(hashes.length).toBe(8192);
    });
    for (const entry of entries) tree.append(entry);
    // The example of https://c2sp.org/tlog-tiles: 273 full tiles, then widths of 112, 17 and 1.
    expect(tiles.filter((tile) => tile.startsWith('0/'))).toEqual(
      Array.from({ length: 273 }, (_, index) => `0/${index}`),
    );
    expect(tiles.filter((tile) => !tile.startsWith('0/'))).toEqual(['1/0']);
    expect(tree.edge().map(({ length }) => length / 32)).toEqual([112, 17, 1]);
    expect(tree.root()).toEqual(mth(entries));
  });

  test('continues from its incomplete tiles as if it had not stopped', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1200 }), fc.integer({ min: 0, max: 300 }), (before, more) => {
        const entries = entriesOf(before + more);
        const first = treeOf(entries.slice(0, before));
        const second = MerkleTree.resume(before, first.edge());
        expect(second.root()).toEqual(first.root());
        for (const entry of entries.slice(before)) second.append(entry);
        expect(second.root()).toEqual(treeOf(entries).root());
      }),
      runs(30),
    );
    expect(() => MerkleTree.resume(300, [Buffer.alloc(32)])).toThrow('has 44 hashes at the edge of level 0');
  });
});

describe('proofs', () => {
  const sizes = fc.integer({ min: 1, max: 200 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));

  test('of inclusion are those of the recursive definition, and verify', () => {
    fc.assert(
      fc.property(sizes, ([size, index]) => {
        const entries = entriesOf(size);
        const proof = inclusionProof(index, size, hashIn(entries));
        expect(proof).toEqual(path(index, entries));
        verifyInclusion(index, size, leafHash(`entry ${index}`), proof, mth(entries));
      }),
      runs(60),
    );
  });

  test('of consistency are those of the recursive definition, and verify', () => {
    fc.assert(
      fc.property(sizes, ([to, before]) => {
        const from = before + 1;
        const entries = entriesOf(to);
        const proof = consistencyProof(from, to, hashIn(entries));
        expect(proof).toEqual(subproof(from, entries, true));
        verifyConsistency(from, mth(entries.slice(0, from)), to, mth(entries), proof);
      }),
      runs(60),
    );
  });

  test('are refused by their length alone', () => {
    const entries = entriesOf(11);
    const proof = path(4, entries);
    const leaf = leafHash('entry 4');
    expect(() => rootFromInclusion(4, 11, leaf, proof.slice(0, -1))).toThrow('the inclusion proof has too few hashes');
    expect(() => rootFromInclusion(4, 11, leaf, [...proof, leaf])).toThrow('the inclusion proof has too many hashes');
    expect(() => rootFromInclusion(4, 11, leaf.subarray(1), proof)).toThrow('a hash does not have 32 bytes');
    const links = subproof(5, entries, true);
    const [old, root] = [mth(entries.slice(0, 5)), mth(entries)];
    expect(() => verifyConsistency(5, old, 11, root, links.slice(0, -1))).toThrow('too few hashes');
    expect(() => verifyConsistency(5, old, 11, root, [])).toThrow('too few hashes');
    expect(() => verifyConsistency(5, old, 11, root, [...links, leaf])).toThrow('too many hashes');
    expect(() => verifyConsistency(5, old, 5, old, [leaf])).toThrow('too many hashes');
    expect(() => verifyConsistency(5, old, 5, mth(entries.slice(1, 6)), [])).toThrow('different roots');
  });

  test('hold from the empty tree to any', () => {
    expect(consistencyProof(0, 5, hashIn(entriesOf(5)))).toEqual([]);
    verifyConsistency(0, EMPTY_ROOT, 5, mth(entriesOf(5)), []);
    expect(rangeRoot(0, 5, hashIn(entriesOf(5)))).toEqual(mth(entriesOf(5)));
  });

  test('are refused with any byte flipped, a hash less or more, another index or size', () => {
    fc.assert(
      fc.property(sizes, fc.nat(31), fc.integer({ min: 1, max: 255 }), ([size, index], byte, flip) => {
        const entries = entriesOf(size);
        const root = mth(entries);
        const leaf = leafHash(`entry ${index}`);
        const proof = path(index, entries);
        const flipped = (hash: Buffer) => {
          const copy = Buffer.from(hash);
          copy[byte] = (copy[byte] as number) ^ flip;
          return copy;
        };
        const refused = (...args: Parameters<typeof verifyInclusion>) =>
          expect(() => verifyInclusion(...args)).toThrow(expect.objectContaining({ name: 'ProofError' }));
        for (const at of proof.keys()) refused(index, size, leaf, proof.with(at, flipped(proof[at] as Buffer)), root);
        refused(index, size, flipped(leaf), proof, root);
        refused(index, size, leaf, proof, flipped(root));
        refused(index, size, leaf, [...proof, leaf], root);
        if (proof.length > 0) refused(index, size, leaf, proof.slice(1), root);
        if (size > 1) refused((index + 1) % size, size, leaf, proof, root);
        refused(size, size, leaf, proof, root);

        const from = index + 1;
        const oldRoot = mth(entries.slice(0, from));
        const links = subproof(from, entries, true);
        const parted = (...args: Parameters<typeof verifyConsistency>) =>
          expect(() => verifyConsistency(...args)).toThrow(expect.objectContaining({ name: 'ProofError' }));
        for (const at of links.keys()) parted(from, oldRoot, size, root, links.with(at, flipped(links[at] as Buffer)));
        parted(from, flipped(oldRoot), size, root, links);
        parted(from, oldRoot, size, flipped(root), links);
        parted(from, oldRoot, size, root, [...links, leaf]);
        if (links.length > 0) parted(from, oldRoot, size, root, links.slice(1));
        parted(size + 1, oldRoot, size, root, links);
      }),
      runs(60),
    );
  });
});
