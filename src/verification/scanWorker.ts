import { serveThread } from '../lib/threads/serveThread.ts';
import { transfer } from '../lib/threads/transfer.ts';
import { EVENT_IN_JSON, type Finding } from './finding.ts';
import { locate, PartScanner } from './partScanner.ts';
import { openRangeReader } from './readRange.ts';
import type { ScanThread } from './scanProtocol.ts';

// Program of a thread that verifies the events of parts of a log.

await serveThread<ScanThread>(({ source, wanted }) => {
  const reader = openRangeReader(source);
  const scanner = new PartScanner(wanted);
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
        const part = scanner.scan(reader.events(range));
        const findings = [...part.findings, ...reader.takeMalformed().map(malformed)];
        return transfer({ ...part, findings }, [part.ids.buffer, part.ends.buffer, part.contents.buffer]);
      },
      locate: ({ range, keys }) => locate(reader.events(range), new Set(keys)),
    },
    stop: () => reader.close(),
  };
});
