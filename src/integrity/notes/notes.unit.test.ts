import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { leafHash } from '../merkle/hashes.ts';
import { MerkleTree } from '../merkle/merkleTree.ts';
import { inclusionProof } from '../merkle/proofs.ts';
import { formatCheckpoint, openCheckpoint, parseCheckpoint, signCheckpoint } from './checkpoint.ts';
import { COSIGNATURE, parseVkey, signingKeyOf, verifierKey } from './noteKeys.ts';
import { formatSignature, parseNote, signNote, verifyNote } from './signedNote.ts';
import { formatProof, parseProof, verifyProof } from './tlogProof.ts';

const ORIGIN = 'svc.example/log';
const log = signingKeyOf(Buffer.alloc(32, 1));
const logKey = verifierKey(ORIGIN, log.publicKey);
const witness = signingKeyOf(Buffer.alloc(32, 2));
const witnessKey = verifierKey('witness.example/w1', witness.publicKey, COSIGNATURE);

// The example of golang.org/x/mod/sumdb/note.
const GO_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_NOTE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;

const cosign = (text: string, time: number) => {
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(BigInt(time));
  const signature = Buffer.concat([stamp, witness.sign(Buffer.from(`cosignature/v1\ntime ${time}\n${text}`))]);
  return formatSignature({ name: witnessKey.name, id: witnessKey.id, signature });
};

/** Every text that differs in one bit of one byte. */
function* flipped(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (const at of bytes.keys()) {
    for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] as number) ^ bit;
      yield copy;
    }
  }
}

describe('signed notes', () => {
  test("opens the example of Go's package", () => {
    const key = parseVkey(GO_KEY);
    expect(verifyNote(parseNote(GO_NOTE), [key])).toEqual([{ key }]);
  });

  test('writes a verifier key that it reads back, and refuses each changed one', () => {
    expect(parseVkey(logKey.vkey)).toEqual(logKey);
    expect(parseVkey(witnessKey.vkey)).toEqual(witnessKey);
    for (const vkey of flipped(logKey.vkey)) expect(() => parseVkey(vkey.toString('latin1'))).toThrow();
    for (const name of ['', 'a b', 'a+b', 'a\u00a0b', 'a\nb', 'a\u2003b']) {
      expect(() => verifierKey(name, log.publicKey)).toThrow('is not a key name');
    }
  });

  test('refuses a note of which any bit of any byte was changed', () => {
    const note = signNote('one\n\ntwo: \u00e9\n', [{ name: ORIGIN, key: log }]);
    verifyNote(parseNote(note), [logKey]);
    for (const forged of flipped(note)) {
      expect(() => verifyNote(parseNote(forged), [logKey])).toThrow(expect.objectContaining({ name: 'NoteError' }));
    }
    for (let end = 0; end < note.length; end += 1) {
      expect(() => verifyNote(parseNote(note.slice(0, end)), [logKey])).toThrow();
    }
  });

  test('ignores signatures of unknown keys, and refuses a wrong one of a known key', () => {
    const other = signingKeyOf(Buffer.alloc(32, 3));
    const note = signNote('text\n', [
      { name: ORIGIN, key: other },
      { name: ORIGIN, key: log },
    ]);
    expect(verifyNote(parseNote(note), [logKey])).toEqual([{ key: logKey }]);
    expect(() => verifyNote(parseNote(note), [verifierKey(ORIGIN, witness.publicKey)])).toThrow(
      'no signature is by a known key',
    );
    const forged = note.replace('text', 'test');
    expect(() => verifyNote(parseNote(forged), [logKey])).toThrow('does not hold');
  });

  test.each([
    ['', 'no empty line'],
    ['text\n', 'no empty line'],
    ['text\n\n', 'no signature'],
    ['text\n\n\u2014 a AAAAAAAA', 'does not end with a newline'],
    ['text\n\n- a AAAAAAAA\n', 'is not'],
    ['text\n\n\u2014  AAAAAAAA\n', 'is not'],
    ['text\n\n\u2014 a+b AAAAAAAA\n', 'is not'],
    ['text\n\n\u2014 a AAAA\n', 'not base64 of a key id'],
    ['text\n\n\u2014 a AAAAAAB\n', 'not base64'],
    ['te\txt\n\n\u2014 a AAAAAAAA\n', 'control character'],
    ['text\r\n\n\u2014 a AAAAAAAA\n', 'control character'],
    [`text\n\n${'\u2014 a AAAAAAAA\n'.repeat(101)}`, 'more than 100 signatures'],
  ])('refuses the note %j', (note, reason) => {
    expect(() => parseNote(note)).toThrow(reason);
  });

  test('refuses bytes that are not UTF-8, and accepts 16 signatures', () => {
    expect(() => parseNote(Buffer.from('te\xffxt\n\n\u2014 a AAAAAAAA\n', 'latin1'))).toThrow('are not UTF-8');
    expect(parseNote(`text\n\n${'\u2014 a AAAAAAAA\n'.repeat(16)}`).signatures).toHaveLength(16);
  });
});

describe('checkpoints', () => {
  const root = leafHash('entry');
  const checkpoint = { origin: ORIGIN, size: 20_852_163, root, extensions: [] };

  test('reads back what it writes, with extension lines', () => {
    const lines = fc.stringMatching(/^[ -~]{1,40}$/);
    const any = fc.record({
      origin: lines,
      size: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      extensions: fc.array(lines),
    });
    fc.assert(
      fc.property(any, (some) => {
        expect(parseCheckpoint(formatCheckpoint({ ...some, root }))).toEqual({ ...some, root });
      }),
      runs(100),
    );
    expect(() => formatCheckpoint({ ...checkpoint, extensions: ['a\nb'] })).toThrow('cannot contain a newline');
  });

  test('opens with the signature of the log and the cosignature of a witness, with its time', () => {
    const note = signCheckpoint(checkpoint, [log]);
    const cosigned = note + cosign(parseNote(note).text, 1_679_315_147);
    const opened = openCheckpoint(cosigned, [logKey, witnessKey]);
    expect(opened).toMatchObject(checkpoint);
    expect(opened.signatures).toEqual([{ key: logKey }, { key: witnessKey, time: 1_679_315_147 }]);
    expect(() => openCheckpoint(cosigned, [witnessKey])).toThrow('itself has not signed');
    for (const forged of flipped(cosigned.split('\n').at(-2) as string)) {
      const whole = Buffer.concat([Buffer.from(note), forged, Buffer.from('\n')]);
      expect(() => openCheckpoint(whole, [witnessKey])).toThrow();
    }
  });

  test.each([
    'svc\n1\n',
    `\n1\n${root.toString('base64')}\n`,
    `svc\n01\n${root.toString('base64')}\n`,
    `svc\n-1\n${root.toString('base64')}\n`,
    `svc\n9007199254740993\n${root.toString('base64')}\n`,
    `svc\n0\n${root.toString('base64')}\n`,
    `svc\n1\n${root.toString('base64url')}\n`,
    `svc\n1\n${root.toString('base64')}\n\nmore\n`,
    `svc\n1\n${root.toString('base64')}`,
  ])('refuses the text %j', (text) => {
    expect(() => parseCheckpoint(text)).toThrow(expect.objectContaining({ name: 'NoteError' }));
  });
});

describe('proofs as text', () => {
  const entries = ['a', 'b', 'c', 'd', 'e'];
  const rootOf = (start: number, end: number) => {
    const tree = new MerkleTree();
    for (const entry of entries.slice(start, end)) tree.append(entry);
    return tree.root();
  };
  const checkpoint = signCheckpoint({ origin: ORIGIN, size: 5, root: rootOf(0, 5), extensions: [] }, [log]);
  const proof = { index: 2, hashes: inclusionProof(2, 5, rootOf), checkpoint };

  test('read back what they write, and prove their entry only', () => {
    for (const given of [proof, { ...proof, extra: Buffer.from('c') }]) {
      expect(parseProof(formatProof(given))).toEqual(given);
      expect(verifyProof(parseProof(formatProof(given)), 'c', [logKey]).size).toBe(5);
      expect(() => verifyProof(given, 'd', [logKey])).toThrow(expect.objectContaining({ name: 'ProofError' }));
    }
    expect(formatProof(proof).split('\n').slice(0, 2)).toEqual(['c2sp.org/tlog-proof@v1', 'index 2']);
  });

  test('are refused with any bit of any byte changed', () => {
    for (const forged of flipped(formatProof(proof))) {
      expect(() => verifyProof(parseProof(forged), 'c', [logKey])).toThrow(/^(?!.*undefined)/);
    }
  });

  test('are refused for a tree that is too high, and without index or checkpoint', () => {
    const text = formatProof(proof);
    expect(() =>
      parseProof(text.replace('index 2\n', `index 2\n${`${rootOf(0, 1).toString('base64')}\n`.repeat(64)}`)),
    ).toThrow('more than 64');
    expect(() => parseProof(text.replace('index 2\n', ''))).toThrow('no line "index"');
    expect(() => parseProof(text.slice(0, text.indexOf('\n\n')))).toThrow('no empty line');
    expect(() => parseProof(text.replace('index 2', 'index 02'))).toThrow('no line "index"');
  });
});
