import { hash as digest } from 'node:crypto';
import { leafHash } from '../../integrity/merkle/hashes.ts';
import { ProofError } from '../../integrity/merkle/proofs.ts';
import type { Finding } from '../../verification/finding.ts';
import { parseJsonValue } from '../format/canonicalJson.ts';
import { type EventLine, InvalidEventLine, leafEntryOfLine, parseEventLine } from '../format/eventLine.ts';
import { restoreKeyOrder } from '../format/keyOrder.ts';
import { type CoveredSubtree, parseProofLine } from '../format/proofLine.ts';
import { type Subtree, SubtreeStack } from '../format/subtreeStack.ts';

/** What the events and proofs of a part lead to. */
export interface CheckedPart {
  /** What is left of the leaves of the part when full subtrees are joined. */
  readonly subtrees: readonly Subtree[];
  readonly events: number;
  /** Events of which the digest of the stored data was recomputed. */
  readonly recomputed: number;
  /** Positions of the first and the last event; 0 when there is none. */
  readonly first: number;
  readonly last: number;
  /** Whether no position between them is missing. */
  readonly isContiguous: boolean;
  readonly findings: readonly Finding[];
}

export interface PartTexts {
  readonly events: string;
  readonly proofs: string;
  readonly from: number;
  readonly to: number;
  readonly origin: string;
}

const sha256 = (text: string): string => digest('sha256', text, 'hex');

/** Checks each event of a part by itself, and computes the hashes of all its leaves. */
export function checkPart({ events, proofs, from, to, origin }: PartTexts): CheckedPart {
  const findings: Finding[] = [];
  const stack = new SubtreeStack(from);
  const covered = linesOf(proofs).map(parseProofLine);
  let next = 0;
  let [count, recomputed, first, last] = [0, 0, 0, 0];
  let isContiguous = true;
  const coverUpTo = (leaf: number) => {
    for (let proof = covered[next]; proof && proof.from < leaf; proof = covered[next]) {
      stack.add(subtreeOf(proof));
      next += 1;
    }
  };
  for (const text of linesOf(events)) {
    count += 1;
    const { line, problem, isRecomputed } = checkLine(text, origin);
    const position = Number(line?.position);
    if (problem) findings.push(finding(problem.kind, line, problem.expected, problem.found));
    if (!line || !Number.isSafeInteger(position)) continue;
    if (isRecomputed) recomputed += 1;
    isContiguous &&= first === 0 || position === last + 1;
    if (first === 0) first = position;
    last = position;
    try {
      coverUpTo(position - 1);
      stack.add({ from: position - 1, width: 1, hash: leafHash(leafEntryOfLine(line)) });
    } catch (error) {
      if (!(error instanceof ProofError || error instanceof InvalidEventLine)) throw error;
      findings.push(finding('reordered', line, 'proofs of all leaves before it', error.message));
      return { subtrees: [], events: count, recomputed, first, last, isContiguous, findings };
    }
  }
  try {
    coverUpTo(to);
    const isWhole = stack.end === to && next === covered.length;
    if (!isWhole && findings.length === 0)
      findings.push(
        finding('deleted', undefined, `proofs of the leaves from ${from} to ${to}`, `some up to ${stack.end}`),
      );
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    findings.push(finding('edited', undefined, 'proofs of full subtrees, in order', error.message));
  }
  return { subtrees: [...stack.subtrees], events: count, recomputed, first, last, isContiguous, findings };
}

/** Lines, each with a line feed at its end; what follows the last one is a line, too. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

const subtreeOf = ({ from, to, hash }: CoveredSubtree): Subtree => ({ from, width: to - from, hash });

interface Problem {
  readonly kind: Finding['kind'];
  readonly expected: string;
  readonly found: string;
}

interface CheckedLine {
  readonly line?: EventLine;
  readonly problem?: Problem;
  readonly isRecomputed: boolean;
}

/** Checks that a line has the form of an event, and that its payload and metadata have the digests that it names. */
export function checkLine(text: string, origin: string): CheckedLine {
  let line: EventLine;
  try {
    line = parseEventLine(text);
  } catch (error) {
    // Also a RangeError: JSON that is nested too deep.
    const found = (error as Error).message;
    return { problem: { kind: 'edited', expected: 'an event in CloudEvents 1.0', found }, isRecomputed: false };
  }
  const problem = contentProblem(line, origin);
  return { line, ...(problem && { problem }), isRecomputed: !problem && line.dataproof === 'recomputable' };
}

function contentProblem(line: EventLine, origin: string): Problem | undefined {
  const edited = (expected: string, found: string): Problem => ({ kind: 'edited', expected, found });
  if (line.source !== origin) return edited(`the source ${origin}`, line.source);
  if (line.dataproof === 'recomputable') {
    if (line.data === undefined || line.dataorder === undefined || line.datahidden !== undefined)
      return edited('a whole payload and the order of its keys', 'a payload without them');
    const stored = restoreKeyOrder(line.data, line.dataorder);
    if (stored === undefined) return edited('the order of the keys of the payload', 'that of another payload');
    const found = sha256(stored);
    if (found !== line.datasha256) return edited(`data with the SHA-256 ${line.datasha256}`, found);
  } else if (line.dataorder !== undefined) {
    return edited('no order of keys, because fields of the payload are hidden', 'one');
  }
  if (line.metadata !== undefined && typeof parseJsonValue(line.metadata) !== 'object')
    return edited('metadata in JSON', 'another text');
  if (line.metadataproof === 'digest') return undefined;
  if (line.metadata === undefined || line.metadatahidden !== undefined) return edited('whole metadata', 'a part');
  const found = sha256(line.metadata);
  return found === line.metadatasha256 ? undefined : edited(`metadata with the SHA-256 ${line.metadatasha256}`, found);
}

function finding(kind: Finding['kind'], line: EventLine | undefined, expected: string, found: string): Finding {
  const position = Number(line?.position);
  return {
    kind,
    position: Number.isSafeInteger(position) && position > 0 ? position : null,
    stream: line?.subject ?? null,
    expected,
    found,
  };
}
