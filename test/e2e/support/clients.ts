import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder whose `package.json` pins the clients; `test/e2e/run.ts` installs them there. */
export const clientsFolder = fileURLToPath(new URL('../clients/', import.meta.url));

const fromClients = createRequire(join(clientsFolder, 'package.json'));

/**
 * Loads an installed client library. The caller declares the members that it uses, so that types are checked even where
 * the clients are not installed.
 */
export const importClient = async <Library>(name: string): Promise<Library> =>
  (await import(/* @vite-ignore */ pathToFileURL(fromClients.resolve(name)).href)) as Library;

/** The clients by name, with the versions pinned in `clients/package.json`. */
export function pinnedClients(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(clientsFolder, 'package.json'), 'utf8')) as Pinned;
  // An older version is installed under an alias: `npm:<package>@<version>`.
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => [name, version.replace(/^npm:.*@/, '')]),
  );
}
type Pinned = { dependencies: Record<string, string> };

/** The installed version of a client; undefined when it is not installed. */
export function installedVersion(name: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(clientsFolder, 'node_modules', name, 'package.json'), 'utf8')) as Version)
      .version;
  } catch {
    return undefined;
  }
}

/** Codex of today, or an old one that still calls `/responses/compact` (docs/clients.md#codex-compacts-in-two-ways). */
export type CodexVersion = 'newest' | 'old';

/** The Codex binary itself, because killing the npm command, a launcher, would leave its child running. */
export function codexBinary(version: CodexVersion = 'newest'): string {
  const target = codexTargets[`${process.platform}-${process.arch}`];
  if (target === undefined) throw new Error(`Codex has no binary for ${process.platform}-${process.arch}`);
  const name = version === 'old' ? 'old-codex' : '@openai/codex';
  const launcher = createRequire(fromClients.resolve(`${name}/bin/codex.js`));
  const platformPackage = launcher.resolve(`@openai/codex-${process.platform}-${process.arch}/package.json`);
  const program = process.platform === 'win32' ? 'codex.exe' : 'codex';
  return join(dirname(platformPackage), 'vendor', target, version === 'old' ? 'codex' : 'bin', program);
}

/** The opencode binary, which the package's install script creates under this name on every system. */
export const opencodeBinary = (): string => join(clientsFolder, 'node_modules', 'opencode-ai', 'bin', 'opencode.exe');

/**
 * An environment isolated from this machine: the client has its own home, and calls to anything but loopback end at a
 * closed port, so that a run does not depend on the internet.
 */
export const clientEnvironment = (home: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  TMPDIR: home,
  TERM: 'dumb',
  LANG: 'C.UTF-8',
  HTTP_PROXY: closedPort,
  HTTPS_PROXY: closedPort,
  ALL_PROXY: closedPort,
  NO_PROXY: '127.0.0.1,localhost',
});

export const closedPort = 'http://127.0.0.1:9';

type Version = { version: string };

const codexTargets: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
};
