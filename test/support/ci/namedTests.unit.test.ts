import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const security = readFileSync(new URL('docs/security.md', root), 'utf8');
const promises = (security.split('## Promises and their tests\n')[1] ?? '').split('\n## ')[0] ?? '';
const rows = promises.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Promise'));

test('every promise of docs/security.md names one test, which exists under that title', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const [, file = '', title = ''] = /\| `([\w/.]+\.test\.ts)`: "([^"]+)" \|$/.exec(row) ?? expect.fail(row);
    expect(existsSync(new URL(file, root)), file).toBe(true);
    const titles = [...readFileSync(new URL(file, root), 'utf8').matchAll(/^\s*(?:test|\]\)|\))?.*?\(?'([^'\n]+)',/gm)];
    expect(
      titles.map(([, found]) => found),
      file,
    ).toContain(title);
  }
});

test('docs/controls.md claims nothing for the organisation that runs svc', () => {
  const controls = readFileSync(new URL('docs/controls.md', root), 'utf8');
  expect(controls.match(/complian|certif/gi)).toBeNull();
  for (const named of ['CC7', 'A.8.15', 'A.8.16', 'A.8.17', '164.312(b)', '| 12,', '| 19,', '| 26,']) {
    expect(controls).toContain(named);
  }
});
