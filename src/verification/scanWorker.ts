import { serveThread } from '../lib/threads/serveThread.ts';
import { transfer } from '../lib/threads/transfer.ts';
import { EVENT_IN_JSON, type Finding } from './finding.ts';
import { locate, PartScanner } from './partScanner.ts';
import { openRangeReader } from './readRange.ts';
import type { ScanThread } from './scanProtocol.ts';
import { TreeComparer } from './treeComparer.ts';

// Program of a thread that verifies the events of parts of a log.

await serveThread<ScanThread>(({ source, wanted }) => {
  const reader = openRangeReader(source);
  const tree = source.kind === 'sqlite' && source.tree !== undefined ? new TreeComparer(source.tree) : undefined;
  const scanner = new PartScanner(wanted, tree);
  const malformed = (line: string): Finding => ({
    kind: 'edited',
    position: null,
    stream: null,
    expected: EVENT_IN_JSON,
    found: line,
  });
  return {
    requests: {
      scan(range) {
        const part = scanner.scan(reader.withArchived(range), reader);
        const findings = [...part.findings, ...reader.takeMalformed().map(malformed)];
        const { ids, ends, contents, leaves } = part;
        const arrays = [ids, ends, contents, ...(leaves ? [leaves.hashes, leaves.tileRoots] : [])];
        const buffers = arrays.map(({ buffer }) => buffer);
        return transfer({ ...part, findings }, buffers);
      },
      locate: ({ range, keys }) => locate(reader.withArchived(range), new Set(keys)),
    },
    stop() {
      reader.close();
      tree?.close();
    },
  };
});
