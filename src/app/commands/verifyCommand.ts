import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Finding, Verification } from '../../verification/finding.ts';
import { verifyEventStore } from '../../verification/verifyEventStore.ts';
import { verifyExport } from '../../verification/verifyExport.ts';
import { verifyFolder } from '../../verification/verifyFolder.ts';
import { CannotVerify, type VerifyOptions } from '../../verification/verifyOptions.ts';
import { refuseArguments } from '../commandLine/argumentsRefused.ts';
import { optionalOperand, positionOption, readArguments, textOption } from '../commandLine/readArguments.ts';
import type { Config } from '../config/config.ts';
import { readPublicKey, verifyBundle } from './verifyBundle.ts';

export interface VerifyCommand {
  /** A file to verify instead of the configured store. */
  readonly file: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** A folder or file with published checkpoints. */
  readonly checkpoints: string | undefined;
  /** A key of the log that the caller has from elsewhere, or a file with it. */
  readonly publicKey: string | undefined;
  /** Whether archived days are taken from their newest seal. */
  readonly isUnsealed: boolean;
  readonly isJson: boolean;
}

/** @throws ArgumentsRefused */
export function parseVerifyArguments(args: readonly string[]): VerifyCommand {
  const { values, positionals } = readArguments(args, {
    from: { type: 'string' },
    to: { type: 'string' },
    checkpoints: { type: 'string' },
    'public-key': { type: 'string' },
    unsealed: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  const [from, to] = [positionOption('--from', values.from), positionOption('--to', values.to)];
  if (from !== undefined && to !== undefined && from > to) refuseArguments(`--from ${from} is after --to ${to}.`);
  const file = optionalOperand(positionals);
  if (values.unsealed && [from, to, file].some((value) => value !== undefined))
    refuseArguments(
      '--unsealed verifies a data folder from its newest archived day to its end: leave out --from, --to and a file.',
    );
  return {
    file,
    from,
    to,
    checkpoints: textOption('--checkpoints', values.checkpoints),
    publicKey: textOption('--public-key', values['public-key']),
    isUnsealed: values.unsealed,
    isJson: values.json,
  };
}

export interface VerifyIo {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/**
 * `svc verify`: verifies the configured store, or a file. Findings go to the standard output, everything else to the standard
 * error; with `--json` one object with all findings.
 * @returns the exit code: 0 intact, 1 findings
 * @throws when it cannot be verified, with what to do
 */
export async function runVerify(command: VerifyCommand, config: Config, io: VerifyIo): Promise<number> {
  const began = performance.now();
  const result = await verify(command, config, io);
  const seconds = (performance.now() - began) / 1_000;
  for (const note of result.notes) io.printError(note);
  if (command.isJson) io.print(JSON.stringify(jsonOf(result)));
  else for (const finding of result.findings) io.print(describe(finding));
  const count = result.findings.length;
  const verdict = count === 0 ? 'intact' : `${count} ${count === 1 ? 'finding' : 'findings'}`;
  const line = `${result.events} events in ${seconds.toFixed(1)} s: ${verdict}`;
  (command.isJson ? io.printError : io.print)(line);
  return result.ok ? 0 : 1;
}

function verify(command: VerifyCommand, config: Config, { printError }: VerifyIo): Promise<Verification> {
  const { file, from, to, publicKey, isUnsealed } = command;
  const options: VerifyOptions = {
    from,
    to,
    isUnsealed,
    checkpoints: command.checkpoints === undefined ? undefined : resolve(command.checkpoints),
    publicKey: publicKey === undefined ? undefined : readPublicKey(publicKey),
    onProgress: progressPrinter(printError),
    onStep: printError,
  };
  return file === undefined ? verifyStore(options, config, printError) : verifyFile(file, options);
}

/** Verifies the configured store, also against the checkpoints that this configuration publishes. */
function verifyStore(
  options: VerifyOptions,
  { SVC_DATA_DIR, SVC_CHECKPOINT_DIR, SVC_MONGODB_URL, SVC_EVENTSTORE_URL: url }: Config,
  print: (line: string) => void,
): Promise<Verification> {
  if (options.isUnsealed && url !== undefined)
    throw new CannotVerify('Over EventStoreDB the whole history is read: leave out --unsealed.');
  const comparesReadModels = SVC_MONGODB_URL === undefined;
  if (!comparesReadModels) print('Read models in MongoDB are compared by "svc rebuild --compare".');
  const store = {
    ...options,
    checkpoints: options.checkpoints ?? (SVC_CHECKPOINT_DIR && resolve(SVC_CHECKPOINT_DIR)),
    isOptional: options.checkpoints === undefined,
    folder: resolve(SVC_DATA_DIR),
    comparesReadModels,
  };
  return url === undefined ? verifyFolder(store) : verifyEventStore({ ...store, url, print });
}

/** Tells what a file is by its content. */
function verifyFile(file: string, options: VerifyOptions): Promise<Verification> {
  const path = resolve(file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new CannotVerify(`${path} is not a file.`);
  const beginning = readBeginning(path);
  if (beginning.startsWith('{"svcHistory":')) return verifyExport(path, options);
  if (beginning.startsWith('PK\u0003\u0004')) return verifyBundle(path, options);
  throw new CannotVerify(
    `${path} is neither an export nor an evidence bundle of svc. To verify a data folder, set SVC_DATA_DIR to it.`,
  );
}

function readBeginning(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(256);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

/** The result as scripts read it. */
const jsonOf = ({ ok, events, root, findings }: Verification) => ({
  ok,
  events,
  root,
  findings: findings.map(({ kind, position, stream, expected, found }) => ({
    kind,
    position,
    stream,
    expected,
    found,
  })),
});

function describe({ kind, position, stream, expected, found }: Finding): string {
  const at = position === null ? '' : ` at position ${position}`;
  const where = stream === null ? at : `${at} in ${stream}`;
  return `${kind}${where}: expected ${expected}; found ${found}`;
}

const PROGRESS_INTERVAL_MS = 2_000;

function progressPrinter(print: (line: string) => void) {
  const began = performance.now();
  let printedAt = began;
  return (events: number, of: number | undefined) => {
    const now = performance.now();
    if (now - printedAt < PROGRESS_INTERVAL_MS) return;
    printedAt = now;
    const rate = Math.round(events / ((now - began) / 1_000));
    print(`${events}${of === undefined ? '' : ` of ${of}`} events, ${rate} events/s`);
  };
}
