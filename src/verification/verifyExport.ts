import { emptyFold, foldPage } from '../state/fold/fold.ts';
import { PagePacker } from '../state/pages/packPage.ts';
import { PageUnpacker } from '../state/pages/unpackPage.ts';
import { changedFinding } from './checkpointFindings.ts';
import { CheckpointInputs } from './checkpointInputs.ts';
import { ExportRanges } from './exportRanges.ts';
import { EVENT_IN_JSON, type Finding, type Verification } from './finding.ts';
import { foldFailure } from './foldFailure.ts';
import { LogTree } from './logTree.ts';
import { openRangeReader } from './readRange.ts';
import type { ScannedPart, ScanRange } from './scanProtocol.ts';
import { describeLosses, type Scan, scanSource } from './scanSource.ts';
import { CannotVerify, nothingFrom, type VerifyOptions } from './verifyOptions.ts';

/**
 * Verifies an export of `svc export`: every event, the chain of each stream, positions, the digest of the file, and the fold.
 * Nothing stands beside an export, so that a cut before it was made shows only against a published checkpoint. One that is older
 * than the newest checkpoint is cut, too, for who does not say with `to` where it ends.
 * @throws CannotVerify for a file of a newer svc
 */
export async function verifyExport(path: string, options: VerifyOptions): Promise<Verification> {
  const { from = 1, to = Number.MAX_SAFE_INTEGER, onProgress = () => {}, onStep = () => {}, signal, threads } = options;
  const file = new ExportRanges(path);
  const ranges: ScanRange[] = [];
  function* noted() {
    for (const range of file.read()) {
      ranges.push(range);
      yield range;
    }
  }
  const source = { kind: 'export', path } as const;
  const inputs = new CheckpointInputs(options);
  const tree = new LogTree({ sizes: inputs.sizes });
  const onPart = ({ leaves }: ScannedPart) => tree.add(leaves);
  const scan = await scanSource({ source, ranges: noted, after: 0, wanted: [], onProgress, onPart, signal, threads });
  if (from > Math.max(1, scan.last)) throw nothingFrom(from, scan.last);
  const structure = structureFindings(file, scan);
  const isCut = structure.some(({ kind }) => kind === 'truncated');
  // The line in which a file was cut is not one that was edited.
  const findings = [...scan.findings.filter(({ expected }) => !isCut || expected !== EVENT_IN_JSON), ...structure];
  const checkpoints = inputs.compare({ tree, losses: scan.losses, last: scan.last });
  // The end of a file that was cut is named above.
  findings.push(...checkpoints.findings.filter(({ kind }) => !isCut || kind !== 'truncated'));
  findings.push(...changedFinding(findings, checkpoints.changed));
  const notes = [
    ...describeLosses(scan),
    ...checkpoints.notes,
    'An export has no read models and no marks to compare with.',
  ];
  if (findings.length === 0) {
    onStep('Folding the export');
    const failure = await foldFailure(() => foldExport(path, ranges));
    if (failure.finding) findings.push(failure.finding);
    if (failure.note) notes.push(failure.note);
  }
  const isWhole = from <= 1 && to >= scan.last;
  if (!isWhole) notes.push('The whole file was read; findings are those of the positions that were asked for.');
  const shown = findings.filter(({ position: at }) => at === null || (at >= from && at <= to));
  const root = tree.root(scan.acceptedTo)?.toString('hex') ?? null;
  return { ok: shown.length === 0, events: scan.events, root, findings: shown, notes };
}

/** What is wrong with the file itself. */
function structureFindings({ others, digest, isComplete }: ExportRanges, scan: Scan): Finding[] {
  const [header, installation, keys, ...rest] = others as Record<string, unknown>[];
  if (Number(header?.svcHistory) > 1)
    throw new CannotVerify('A newer svc made this export. Verify it with that version.');
  const wrong = (kind: Finding['kind'], at: number | null, expected: string, found: string): Finding[] => [
    { kind, position: at, stream: null, expected, found },
  ];
  const end = rest[0]?.end as { readonly events?: number; readonly sha256?: string } | undefined;
  const count = Number(header?.events);
  if (!end || !isComplete) {
    const expected = `${count} events and the end of the file`;
    return wrong('truncated', scan.last + 1, expected, `${scan.events} events`);
  }
  if (scan.last < count) return wrong('truncated', scan.last + 1, `${count} events`, `${scan.events} events`);
  if (scan.last > count) return wrong('inserted', count + 1, `${count} events`, `${scan.events} events`);
  const isExport = installation !== undefined && 'keys' in (keys ?? {}) && rest.length === 1;
  if (!isExport) return wrong('edited', null, 'a header, keys, events and an end', 'other lines');
  // An event that was changed is named above; the digest adds nothing then.
  if (scan.findings.length > 0) return [];
  if (end.sha256 !== digest) return wrong('edited', null, `SHA-256 ${end.sha256} of the file`, `SHA-256 ${digest}`);
  if (end.events !== count)
    return wrong('edited', null, `${count} events, as the file begins`, `${end.events}, as it ends`);
  return [];
}

function foldExport(path: string, ranges: readonly ScanRange[]): void {
  const reader = openRangeReader({ kind: 'export', path });
  try {
    const fold = emptyFold();
    const [packer, unpacker] = [new PagePacker(), new PageUnpacker()];
    for (const range of ranges) {
      const rows = Array.from(reader.events(range), ([at, stream, revision, , type, version, time, data]) => {
        const row: Parameters<PagePacker['pack']>[0][number] = [at, stream, revision, type, version, time, data];
        return row;
      });
      foldPage(fold, unpacker.open(packer.pack(rows))());
    }
  } finally {
    reader.close();
  }
}
