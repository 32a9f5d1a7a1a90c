import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { BundleVerification } from '../../evidence/check/bundleVerification.ts';
import { verifyBundleFile } from '../../evidence/files/verifyBundleFile.ts';
import type { Manifest } from '../../evidence/format/manifest.ts';
import { refuseArguments, shown } from '../commandLine/argumentsRefused.ts';
import { oneOperand, readArguments } from '../commandLine/readArguments.ts';
import { type BundleService, startBundleService } from './bundleService.ts';
import { loadBundle } from './loadBundle.ts';

export interface OpenCommand {
  readonly file: string;
  readonly port: number;
}

/** @throws ArgumentsRefused */
export function parseOpenArguments(args: readonly string[]): OpenCommand {
  const { values, positionals } = readArguments(args, { port: { type: 'string', default: '0' } });
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535)
    refuseArguments(`--port must be a number up to 65535, not ${shown(values.port)}.`);
  return { file: oneOperand(positionals, 'BUNDLE'), port: Number(values.port) };
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
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new CannotOpenBundle(`${path} is not a file: name a bundle that "svc evidence" has written.`);
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
