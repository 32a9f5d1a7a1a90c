import { readFileSync, statSync } from 'node:fs';
import type { BundleVerification } from '../../evidence/check/bundleVerification.ts';
import { verifyBundleFile } from '../../evidence/files/verifyBundleFile.ts';
import { parseVkey, type VerifierKey } from '../../integrity/notes/noteKeys.ts';
import { type Published, readPublished } from '../../integrity/published/readPublished.ts';
import type { Finding, Verification } from '../../verification/finding.ts';
import { CannotVerify, type VerifyOptions } from '../../verification/verifyOptions.ts';

const MAX_KEY_FILE_BYTES = 4_096;

/**
 * Reads a verifier key of https://c2sp.org/signed-note from text, or from the file of this name.
 * @throws CannotVerify when it is neither
 */
export function readPublicKey(text: string): VerifierKey {
  const file = statSync(text, { throwIfNoEntry: false });
  try {
    const isFile = file?.isFile() && file.size <= MAX_KEY_FILE_BYTES;
    return parseVkey((isFile ? readFileSync(text, 'utf8') : text).trim());
  } catch (error) {
    const { message } = error as Error;
    throw new CannotVerify(`--public-key is neither a key of a log nor a file with one: ${message}.`, { cause: error });
  }
}

/** Verifies an evidence bundle for `svc verify`. @throws CannotVerify */
export async function verifyBundle(
  path: string,
  { from, to, checkpoints, publicKey: trusted, onProgress, onStep = () => {}, signal, threads }: VerifyOptions,
): Promise<Verification> {
  if (from !== undefined || to !== undefined)
    throw new CannotVerify('A bundle is verified as a whole: leave out --from and --to.');
  const published = checkpoints === undefined ? undefined : readPublishedAt(checkpoints);
  onStep('Verifying an evidence bundle');
  const result = await verifyBundleFile(path, { trusted, onProgress, signal, threads });
  const compared = published && compareWithPublished(result, published);
  const findings = [...result.findings, ...(compared?.findings ?? [])];
  const notes = [...describeBundle(result), ...result.notes, ...(compared?.notes ?? [])];
  return { ...result, ok: findings.length === 0, findings, notes };
}

/** @throws CannotVerify */
function readPublishedAt(path: string): Published {
  try {
    return readPublished(path);
  } catch (error) {
    throw new CannotVerify(`${path} cannot be read: ${(error as Error).message}. Name it with --checkpoints.`, {
      cause: error,
    });
  }
}

/** A published checkpoint of the same size as one of the bundle must have its root; others say nothing about the bundle. */
function compareWithPublished(
  { manifest, checkpoints }: BundleVerification,
  published: Published,
): { readonly findings: readonly Finding[]; readonly notes: readonly string[] } {
  const findings: Finding[] = [];
  const notes: string[] = [];
  for (const { size, root } of checkpoints) {
    for (const known of published.checkpoints) {
      if (known.origin !== manifest?.origin || known.size !== size) continue;
      const knownRoot = known.root.toString('base64');
      if (knownRoot === root)
        notes.push(`The checkpoint of ${size} events is the one that was published: ${known.source}.`);
      else {
        const expected = `the root ${knownRoot} of ${size} events, as ${known.source} has it`;
        findings.push({ kind: 'forked', position: null, stream: null, expected, found: root });
      }
    }
  }
  if (findings.length + notes.length === 0)
    notes.push('No published checkpoint has the size of one in the bundle: nothing could be compared with them.');
  return { findings, notes };
}

/** What a bundle says and what was found out about it, one sentence each. */
function describeBundle(result: BundleVerification): string[] {
  const { manifest, key, events, recomputed, first, last, isContiguous, checkpoints } = result;
  if (!manifest || !key) return [];
  const { madeBy, madeAt, selection, origin } = manifest;
  const notes = [
    `It says: made by ${madeBy} at ${madeAt}, events of ${origin} selected by ${JSON.stringify(selection)}.`,
    key.isTrusted
      ? `The checkpoints are signed by the key that was given, or one that it has named: ${key.vkey} (${key.fingerprint}).`
      : `The checkpoints name the key ${key.vkey} (${key.fingerprint}). Nobody vouched for it: compare it with one that you have from elsewhere, or give that as --public-key.`,
  ];
  if (!result.ok) return notes;
  const extent = isContiguous
    ? `all events from position ${first} to ${last}, none is missing`
    : `events between positions ${first} and ${last}; others between them are not in it`;
  notes.push(
    `It has ${extent}. ${checkpoints.length} checkpoints, the last one of ${checkpoints.at(-1)?.size} events.`,
  );
  if (recomputed < events) {
    notes.push(
      `${events - recomputed} of ${events} events have hidden fields: that each was recorded, where, when and with which digests is proved; what is shown of its data is not.`,
    );
  }
  return notes;
}
