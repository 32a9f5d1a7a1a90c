import { dirname, join, normalize } from 'node:path/posix';

/** What each node imports. Nodes are files, or folders. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** `from '...'`, `import '...'` and `import('...')` of a relative path, type imports included. */
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/**
 * The imports of each file, type imports and dynamic ones included.
 * @param sources paths from the root of the repository, with their texts; imports of other files are ignored
 */
export function fileGraph(sources: ReadonlyMap<string, string>): ImportGraph {
  const importsOf = (file: string, text: string) =>
    [...text.matchAll(IMPORT)]
      .map(([, path = '']) => normalize(join(dirname(file), path)))
      .filter((path) => sources.has(path) && path !== file);
  return new Map([...sources].map(([file, text]) => [file, new Set(importsOf(file, text))]));
}

/** The imports of each folder: of the files directly in it, because its subfolders are nodes of their own. */
export function folderGraph(files: ImportGraph): ImportGraph {
  const folders = new Map<string, Set<string>>();
  for (const [file, imports] of files) {
    const own = folders.get(dirname(file)) ?? new Set();
    folders.set(dirname(file), own);
    for (const path of imports) if (dirname(path) !== dirname(file)) own.add(dirname(path));
  }
  return folders;
}

/** Groups of nodes that import each other, directly or through others (Tarjan's strongly connected components). */
export function circlesIn(graph: ImportGraph): string[][] {
  const indexOf = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];

  function visit(node: string): number {
    const index = indexOf.size;
    let low = index;
    indexOf.set(node, index);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!indexOf.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, indexOf.get(next) ?? low);
    }
    if (low === index) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  }
  for (const node of graph.keys()) if (!indexOf.has(node)) visit(node);
  return circles;
}

/** A circle as its imports, one line each: `a -> b`. */
export const describeCircle = (circle: readonly string[], graph: ImportGraph): string[] =>
  circle.flatMap((node) =>
    [...(graph.get(node) ?? [])].filter((next) => circle.includes(next)).map((next) => `${node} -> ${next}`),
  );
