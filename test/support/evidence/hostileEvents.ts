import { randomUUID } from 'node:crypto';
import type { LogRow } from '../../histories/forged/forgeries.ts';

/** Texts that would do something where they are not treated as text. */
export const HOSTILE_TEXTS: readonly string[] = [
  '<img src=x onerror="document.title=\'owned\'">',
  '</script><script>document.title="owned"</script>',
  '<!--<script>',
  '"><svg onload=document.title=`owned`>',
  '\u202Egnp.exe\u202C \u2066hidden\u2069',
  '\u001b[31mred\u001b[0m \u001b]0;title\u0007',
  'a\u0000b\r\nc\u2028d\ufeffe',
  '{"__proto__":{"polluted":true}}',
  'javascript:document.title="owned"',
  'x'.repeat(1_000_000),
];

/** Rows of a log that have a hostile text wherever an event has text: as a name, a key, a type, an id and a stream. */
export function hostileRows(after: number): LogRow[] {
  return HOSTILE_TEXTS.map((text, index) => ({
    position: after + 1 + index,
    stream: `apiKey-${text.slice(0, 700)}`,
    revision: 0,
    id: index % 2 === 0 ? randomUUID() : text.slice(0, 900),
    type: index % 3 === 0 ? text.slice(0, 700) : 'ApiKeyRenamed',
    version: 1,
    time: Date.UTC(2026, 0, 1) + index,
    data: JSON.stringify({ keyId: 'k', from: text, to: 'new', [text.slice(0, 200)]: { deep: [text] } }),
    metadata: JSON.stringify({ schemaVersion: 1, actor: { kind: 'cli', command: text }, correlationId: text }),
  }));
}
