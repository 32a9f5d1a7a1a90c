import { resolve } from 'node:path';
import { describeMade, madeBy } from '../../evidence/make/describeMade.ts';
import { makeEvidence } from '../../evidence/make/makeEvidence.ts';
import type { EventSelection } from '../../evidence/make/selection.ts';
import { refuseArguments } from '../commandLine/argumentsRefused.ts';
import { oneOperand, periodOptions, readArguments, textOption } from '../commandLine/readArguments.ts';
import type { Config } from '../config/config.ts';

export interface EvidenceCommand {
  readonly selection: EventSelection;
  readonly file: string;
}

/** Reads the arguments of `svc evidence`. @throws ArgumentsRefused */
export function parseEvidenceArguments(args: readonly string[]): EvidenceCommand {
  const { values, positionals } = readArguments(args, {
    since: { type: 'string' },
    until: { type: 'string' },
    request: { type: 'string', multiple: true },
    subject: { type: 'string', multiple: true },
    incident: { type: 'boolean', default: false },
  });
  const { request: requests, subject: subjects, incident: isIncident } = values;
  for (const text of requests ?? []) textOption('--request', text);
  for (const text of subjects ?? []) textOption('--subject', text);
  const period = periodOptions(values);
  const isPeriod = period.since !== undefined || period.until !== undefined;
  if (requests && subjects) refuseArguments('--request and --subject exclude each other.');
  if (isIncident && (requests || subjects)) refuseArguments('--incident takes a period, not --request or --subject.');
  if (isIncident && !isPeriod) refuseArguments('--incident needs a period: --since, --until or both.');
  if (!(isPeriod || requests || subjects)) refuseArguments('Name a period, a request or a subject.');
  return { file: oneOperand(positionals, 'FILE'), selection: { ...period, requests, subjects, isIncident } };
}

export interface EvidenceIo {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/**
 * `svc evidence`: writes an evidence bundle from the data folder, beside a running service or without one. Writes nothing into the
 * folder and takes no lock.
 * @throws when it cannot be made, with what to do
 */
export async function runEvidence({ selection, file }: EvidenceCommand, config: Config, io: EvidenceIo): Promise<void> {
  let printedAt = performance.now();
  const made = await makeEvidence({
    folder: resolve(config.SVC_DATA_DIR),
    logName: config.SVC_EVENTSTORE_URL === undefined ? 'log.sqlite' : 'mirror.sqlite',
    selection,
    path: resolve(file),
    madeBy,
    madeAt: new Date().toISOString(),
    onStep: io.printError,
    onProgress(position, of) {
      if (performance.now() - printedAt < PROGRESS_INTERVAL_MS) return;
      printedAt = performance.now();
      io.printError(`up to position ${position} of ${of}`);
    },
  });
  for (const line of describeMade(made)) io.print(line);
}

const PROGRESS_INTERVAL_MS = 2_000;
