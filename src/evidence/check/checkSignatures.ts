import { hash as digest } from 'node:crypto';
import { acceptedKeys, type KeyChange, openKeyChange } from '../../integrity/keys/keyChange.ts';
import { ProofError, verifyConsistency } from '../../integrity/merkle/proofs.ts';
import { decodeBase64 } from '../../integrity/notes/base64.ts';
import { openCheckpoint, type VerifiedCheckpoint } from '../../integrity/notes/checkpoint.ts';
import { parseVkey, type VerifierKey, verifierKey } from '../../integrity/notes/noteKeys.ts';
import type { Finding } from '../../verification/finding.ts';
import { linesOf } from './checkPart.ts';

/** The fingerprint of a public key, as OpenSSH writes one. */
export const fingerprintOf = ({ publicKey }: VerifierKey): string =>
  `SHA256:${Buffer.from(digest('sha256', publicKey, 'hex'), 'hex')
    .toString('base64')
    .replace(/=+$/, '')}`;

export interface SignedParts {
  /** The verifier key that the bundle names. */
  readonly vkey: string;
  readonly origin: string;
  /** Signed notes in the order of their names. */
  readonly checkpoints: readonly string[];
  readonly keyChanges: readonly string[];
  readonly consistency: string;
}

export interface CheckedSignatures {
  /** The key that has signed the last checkpoint; undefined when it is unknown. */
  readonly key: VerifierKey | undefined;
  /** In order of size; only those that hold. */
  readonly checkpoints: readonly VerifiedCheckpoint[];
  readonly findings: readonly Finding[];
}

const signature = (expected: string, found: string): Finding => ({
  kind: 'rehashed',
  position: null,
  stream: null,
  expected,
  found,
});

/**
 * Checks that the key of the log has signed the last checkpoint, that it or a key before it has signed the others, and that each
 * tree continues the one before it.
 * @param trusted the key that the auditor has from elsewhere; without it the one that the bundle names
 */
export function checkSignatures(parts: SignedParts, trusted: VerifierKey | undefined): CheckedSignatures {
  const findings: Finding[] = [];
  const known = knownKeys(parts, trusted, findings);
  const checkpoints: VerifiedCheckpoint[] = [];
  for (const note of parts.checkpoints) {
    try {
      const checkpoint = openCheckpoint(note, known.all);
      if (checkpoint.origin !== parts.origin)
        findings.push(signature(`a checkpoint of ${parts.origin}`, `one of ${checkpoint.origin}`));
      else checkpoints.push(checkpoint);
    } catch (error) {
      findings.push(signature('a checkpoint that the key of the log has signed', (error as Error).message));
    }
  }
  const signers = checkpoints.at(-1)?.signatures.map(({ key }) => key.vkey) ?? [];
  const isNamed = known.named !== undefined && signers.includes(known.named.vkey);
  if (findings.length === 0 && !(isNamed && known.accepted.some(({ vkey }) => signers.includes(vkey)))) {
    const expected =
      isNamed && trusted
        ? `a last checkpoint signed by ${trusted.vkey}, or by a key that it has named`
        : `a last checkpoint signed by ${parts.vkey}, as the manifest says`;
    findings.push(signature(expected, `one of ${signers.join(', ') || 'no key'}`));
  }
  if (findings.length === 0) findings.push(...consistencyFindings(checkpoints, parts.consistency));
  return { key: known.named, checkpoints, findings };
}

interface KnownKeys {
  /** The key that the bundle names. */
  readonly named: VerifierKey | undefined;
  /** The trusted key, and those that it has named. */
  readonly accepted: readonly VerifierKey[];
  /** Also those of earlier checkpoints. */
  readonly all: readonly VerifierKey[];
}

function knownKeys(parts: SignedParts, trusted: VerifierKey | undefined, findings: Finding[]): KnownKeys {
  const changes: KeyChange[] = [];
  const notes: string[] = [];
  for (const note of parts.keyChanges) {
    try {
      changes.push(openKeyChange(note));
      notes.push(note);
    } catch (error) {
      findings.push(signature('a change of keys that both keys have signed', (error as Error).message));
    }
  }
  try {
    const named = parseVkey(parts.vkey);
    const accepted = underOrigin(acceptedKeys(trusted ?? named, notes), parts.origin);
    const others = changes.flatMap(({ before, after }) => [before, after]);
    return { named, accepted, all: distinct([...accepted, ...underOrigin([named, ...others], parts.origin)]) };
  } catch (error) {
    findings.push(signature('a verifier key', (error as Error).message));
    return { named: undefined, accepted: [], all: [] };
  }
}

/** After an accepted loss a log has another origin, and with it its key another name. */
function underOrigin(keys: readonly VerifierKey[], origin: string): VerifierKey[] {
  const renamed = keys.filter(({ name }) => isSameLog(origin, name));
  return distinct([...keys, ...renamed.map(({ publicKey }) => verifierKey(origin, publicKey))]);
}

const distinct = (keys: readonly VerifierKey[]): VerifierKey[] => [
  ...new Map(keys.map((key) => [key.vkey, key])).values(),
];

/** Whether two origins are those of one installation: `svc/<installation>`, and after it the part of its log. */
const isSameLog = (origin: string, name: string): boolean =>
  origin.split('/').slice(0, 2).join('/') === name.split('/').slice(0, 2).join('/');

interface ConsistencyLine {
  readonly from: number;
  readonly to: number;
  readonly hashes: readonly string[];
}

export const writeConsistencyLine = (from: number, to: number, hashes: readonly Buffer[]): string =>
  `${JSON.stringify({ from, hashes: hashes.map((hash) => hash.toString('base64')), to })}\n`;

/** Each line proves that one checkpoint continues the one before it. */
function consistencyFindings(checkpoints: readonly VerifiedCheckpoint[], text: string): Finding[] {
  const findings: Finding[] = [];
  const lines = linesOf(text);
  for (const [index, checkpoint] of checkpoints.entries()) {
    const before = checkpoints[index - 1];
    if (!before) continue;
    try {
      const { from, to, hashes } = JSON.parse(lines[index - 1] ?? '{}') as ConsistencyLine;
      const path = hashes.map((hash) => decodeBase64(hash) ?? Buffer.alloc(0));
      if (from !== before.size || to !== checkpoint.size) throw new ProofError('it is that of other checkpoints');
      if (`${lines[index - 1]}\n` !== writeConsistencyLine(from, to, path))
        throw new ProofError('it is not spelled as svc writes it');
      verifyConsistency(from, before.root, to, checkpoint.root, path);
    } catch (error) {
      const expected = `a proof that the checkpoint of ${checkpoint.size} leaves continues that of ${before.size}`;
      findings.push({ kind: 'forked', position: null, stream: null, expected, found: (error as Error).message });
    }
  }
  if (lines.length > Math.max(0, checkpoints.length - 1))
    findings.push(signature(`${Math.max(0, checkpoints.length - 1)} proofs of consistency`, `${lines.length}`));
  return findings;
}
