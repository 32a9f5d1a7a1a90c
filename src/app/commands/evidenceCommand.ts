import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMade, madeBy } from '../../evidence/make/describeMade.ts';
import { makeEvidence } from '../../evidence/make/makeEvidence.ts';
import type { EventSelection } from '../../evidence/make/selection.ts';
import type { Config } from '../config/config.ts';

export interface EvidenceCommand {
  readonly selection: EventSelection;
  readonly file: string;
}

/**
 * Reads the arguments of `svc evidence`.
 * @returns undefined for arguments that it does not have
 */
export function parseEvidenceArguments(args: readonly string[]): EvidenceCommand | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        since: { type: 'string' },
        until: { type: 'string' },
        request: { type: 'string', multiple: true },
        subject: { type: 'string', multiple: true },
        incident: { type: 'boolean', default: false },
      },
    });
    const [file, ...more] = positionals;
    const [since, until] = [momentOf(values.since, 'first'), momentOf(values.until, 'last')];
    const { request, subject, incident } = values;
    const isPeriod = since !== undefined || until !== undefined;
    const isWrong =
      file === undefined ||
      file === '' ||
      more.length > 0 ||
      Number.isNaN(since) ||
      Number.isNaN(until) ||
      (request && subject) ||
      (incident && (!isPeriod || request || subject)) ||
      [...(request ?? []), ...(subject ?? [])].includes('') ||
      !(isPeriod || request || subject);
    if (isWrong) return undefined;
    return { file, selection: { since, until, requests: request, subjects: subject, isIncident: incident } };
  } catch {
    return undefined;
  }
}

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A day, which is one of UTC and means its first or its last millisecond, or a time with its zone. @returns NaN for another text */
function momentOf(text: string | undefined, of: 'first' | 'last'): number | undefined {
  if (text === undefined) return undefined;
  if (DAY.test(text)) return Date.parse(text) + (of === 'last' ? DAY_MS - 1 : 0);
  return MOMENT.test(text) ? Date.parse(text) : Number.NaN;
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
