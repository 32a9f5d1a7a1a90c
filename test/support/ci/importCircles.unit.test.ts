import { expect, test } from 'vitest';
import { circlesIn, describeCircle, fileGraph, folderGraph } from './importCircles.ts';

const graphOf = (sources: Record<string, string>) => fileGraph(new Map(Object.entries(sources)));

test('finds a circle of two files, type imports included', () => {
  const graph = graphOf({
    'src/a.ts': "import type { B } from './b.ts';",
    'src/b.ts': "export { a } from './a.ts';",
    'src/c.ts': "import './a.ts';",
  });
  expect(circlesIn(graph)).toEqual([['src/a.ts', 'src/b.ts']]);
  expect(describeCircle(['src/a.ts', 'src/b.ts'], graph)).toEqual(['src/a.ts -> src/b.ts', 'src/b.ts -> src/a.ts']);
});

test('finds a circle through a dynamic import', () =>
  expect(
    circlesIn(
      graphOf({
        'src/a.ts': "const { b } = await import('./b.ts');",
        'src/b.ts': "import {\n  a,\n} from './c.ts';",
        'src/c.ts': "import './a.ts';",
      }),
    ),
  ).toEqual([['src/a.ts', 'src/b.ts', 'src/c.ts']]));

test('finds a circle of folders whose files import in one direction', () => {
  const files = graphOf({
    'src/a/one.ts': "import '../b/one.ts';",
    'src/a/two.ts': '',
    'src/b/one.ts': '',
    'src/b/two.ts': "import '../a/two.ts';",
  });
  expect(circlesIn(files)).toEqual([]);
  expect(circlesIn(folderGraph(files))).toEqual([['src/a', 'src/b']]);
});

test('treats a folder and its subfolder as two folders', () => {
  const down = graphOf({ 'src/app.ts': "import './sub/part.ts';", 'src/sub/part.ts': '' });
  expect(circlesIn(folderGraph(down))).toEqual([]);
  const both = graphOf({
    'src/app.ts': "import './sub/part.ts';",
    'src/sub/part.ts': "import '../shared.ts';",
    'src/shared.ts': '',
  });
  expect(circlesIn(folderGraph(both))).toEqual([['src', 'src/sub']]);
});

test('ignores packages, and files that are not given', () =>
  expect(circlesIn(graphOf({ 'src/a.ts': "import 'node:fs';\nimport '../test/b.ts';" }))).toEqual([]));
