import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { BundleVerification } from '../../evidence/check/bundleVerification.ts';
import { verifyBundleFile } from '../../evidence/files/verifyBundleFile.ts';
import type { Manifest } from '../../evidence/format/manifest.ts';
import { type BundleService, startBundleService } from './bundleService.ts';
import { loadBundle } from './loadBundle.ts';

export interface OpenCommand {
  readonly file: string;
  readonly port: number;
}

/** @returns undefined for arguments that `open` does not have */
export function parseOpenArguments(args: readonly string[]): OpenCommand | undefined {
  try {
    const options = { port: { type: 'string', default: '0' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    const [file, ...more] = positionals;
    if (file === undefined || file === '' || more.length > 0) return undefined;
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) return undefined;
    return { file, port: Number(values.port) };
  } catch {
    return undefined;
  }
}

/** The bundle cannot be opened; the message says why. */
export class CannotOpenBundle extends Error {
  override readonly name = 'CannotOpenBundle';
}

export interface OpenIo {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** Default: true. */
  readonly hasDashboard?: boolean;
}

/** An opened bundle; `close` also removes what was written. */
export type OpenedBundle = BundleService;

/**
 * `svc open`: verifies an evidence bundle, loads its events into a temporary folder, and serves them, read-only, on the loopback
 * interface.
 * @throws CannotOpenBundle when the bundle does not verify
 */
export async function openBundle({ file, port }: OpenCommand, io: OpenIo): Promise<OpenedBundle> {
  const path = resolve(file);
  const verified = await verifyBundleFile(path);
  const { manifest, ok, findings } = verified;
  if (!ok || !manifest) {
    const [found] = findings;
    throw new CannotOpenBundle(
      `${path} is not opened, because it does not verify: expected ${found?.expected}; found ${found?.found}. Run "svc verify ${file}" for all findings.`,
    );
  }
  for (const line of describe(verified, manifest)) io.print(line);
  const folder = mkdtempSync(join(tmpdir(), 'svc-open-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const loaded = await loadBundle(path, manifest, folder);
    const service = await startBundleService({
      ...loaded,
      folder,
      name: basename(path),
      manifest,
      port,
      ...(io.hasDashboard === false && { hasDashboard: false }),
      report: (error) => io.printError(error instanceof Error ? error.message : String(error)),
    });
    return {
      url: service.url,
      async close() {
        await service.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function describe(
  { key, events, recomputed, isContiguous, first, last }: BundleVerification,
  manifest: Manifest,
): string[] {
  const { origin, madeBy, madeAt, state, treeSize } = manifest;
  const extent = isContiguous
    ? `all events from position ${first} to ${last}`
    : `${events} events between positions ${first} and ${last}, not all`;
  return [
    `The bundle verifies: ${extent} of ${origin}, proved by a checkpoint of ${treeSize} events. Made by ${madeBy} at ${madeAt}.`,
    `Signed by ${key?.vkey} (${key?.fingerprint}). Compare this key with one that you have from elsewhere.`,
    ...(recomputed < events
      ? [`${events - recomputed} of ${events} events have hidden fields: what is shown of them is not proved.`]
      : []),
    ...(state ? [`The state up to position ${state.position} is a statement of its maker: not proved.`] : []),
    ...(!state && first > 1
      ? [
          'It has no state before its first event: counters, cool-downs and usage begin with nothing, so that decisions may not repeat.',
        ]
      : []),
  ];
}
