/** A package in `package-lock.json`, by its path. */
interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The packages of a lock file by their paths, for example `node_modules/koa/node_modules/debug`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/**
 * The installed packages that some packages need at run time, with all that these need, found as Node finds them.
 * @param names packages at the root
 * @returns their paths, sorted
 */
export function productionPackages(locked: LockedPackages, names: Iterable<string>): string[] {
  const found = new Set<string>();
  const visit = (name: string, from: string): void => {
    const path = resolvePackage(locked, name, from);
    // Optional packages of other platforms, and peers that are not installed.
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = locked[path] as LockedPackage;
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      visit(needed, path);
  };
  for (const name of names) visit(name, '');
  return [...found].toSorted();
}

function resolvePackage(locked: LockedPackages, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (locked[path]) return path;
    if (folder === '') return undefined;
  }
}
