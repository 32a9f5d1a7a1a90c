// Part of `npm run lint`: refuses circles of imports between files and between folders of src and projections, type
// imports included (docs/decisions/0001-imports-point-one-way.md).

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { circlesIn, describeCircle, fileGraph, folderGraph, type ImportGraph } from './importCircles.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const paths = globSync('{src,projections}/**/*.{ts,mjs}', { cwd: root }).filter(
  (path) => !/\.(test|support)\.ts$/.test(path),
);
const files = fileGraph(new Map(paths.map((path) => [path, readFileSync(`${root}${path}`, 'utf8')])));

const count = report('files', files) + report('folders', folderGraph(files));
process.stdout.write(`Checked the imports of ${paths.length} files: ${count} circles.\n`);
process.exitCode = count === 0 ? 0 : 1;

function report(kind: string, graph: ImportGraph): number {
  const circles = circlesIn(graph);
  for (const circle of circles) {
    process.stderr.write(`These ${kind} import each other:\n  ${describeCircle(circle, graph).join('\n  ')}\n`);
  }
  return circles.length;
}
