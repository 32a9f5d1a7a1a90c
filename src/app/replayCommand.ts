import { parseArgs } from 'node:util';
import type { Instant } from '../domain/core/brands.ts';
import { parseTime } from '../management/http/isoTime.ts';
import type { Difference } from '../replay/recordedDecision.ts';
import { type ReplayResult, replayLog } from '../replay/replayLog.ts';
import type { Config } from './config/config.ts';
import { withUntouchedLog } from './untouchedLog.ts';

export interface ReplayCommand {
  readonly since: Instant | undefined;
  readonly until: Instant | undefined;
  readonly isJson: boolean;
}

/** @returns undefined for arguments that `replay` does not have */
export function parseReplayArguments(args: readonly string[]): ReplayCommand | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { since: { type: 'string' }, until: { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    const [since, until] = [values.since, values.until].map((text) => text && parseTime(text));
    const isInvalid = (values.since !== undefined && !since) || (values.until !== undefined && !until);
    if (isInvalid || (since && until && since > until)) return undefined;
    return { since: since || undefined, until: until || undefined, isJson: values.json };
  } catch {
    return undefined;
  }
}

export interface ReplayIo {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/**
 * `svc replay`: repeats every decision about the requests of a period, and names those that give another result. Reads beside
 * a running service and changes no file.
 * @returns the exit code: 0 every decision repeats, 1 some do not
 * @throws CannotReadLog, and what reading the log throws
 */
export async function runReplay(
  { since, until, isJson }: ReplayCommand,
  config: Pick<Config, 'SVC_DATA_DIR' | 'SVC_EVENTSTORE_URL'>,
  { print, printError }: ReplayIo,
): Promise<number> {
  const began = performance.now();
  const onProgress = progressPrinter(printError);
  const result = await withUntouchedLog(config, (files) => replayLog({ ...files, since, until, onProgress }));
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  if (isJson) print(JSON.stringify(jsonOf(result)));
  else for (const line of linesOf(result)) print(line);
  printError(`${result.requests} requests in ${seconds} s`);
  return result.differences.length === 0 ? 0 : 1;
}

/** The result as scripts read it. */
const jsonOf = ({
  requests,
  choices,
  admissions,
  refusals,
  countedOnly,
  repeated,
  archived,
  differences,
}: ReplayResult) => ({
  requests,
  choices,
  admissions,
  refusals,
  counted_only: countedOnly,
  repeated,
  archived,
  differences: differences.map(({ requestId, position, decidedAt, decision, recorded, replayed }) => ({
    request_id: requestId,
    position,
    decided_at: decidedAt,
    decision,
    recorded,
    replayed,
  })),
});

function linesOf({
  requests,
  choices,
  admissions,
  refusals,
  countedOnly,
  repeated,
  archived,
  differences,
}: ReplayResult): string[] {
  const counts =
    `${requests} requests, ${refusals} of them refused by svc: ${choices} choices of an account, ${admissions} admissions. ` +
    `${repeated} decisions gave the recorded result, ${differences.length} another one.`;
  const onlyCounted = `${countedOnly} more refusals were only counted, so that they cannot be repeated.`;
  const fromArchive = `${archived} decisions were taken from a state of an archived day, so that they cannot be repeated.`;
  return [
    ...differences.map(describe),
    counts,
    ...(countedOnly > 0 ? [onlyCounted] : []),
    ...(archived > 0 ? [fromArchive] : []),
  ];
}

const describe = ({ requestId, position, decidedAt, decision, recorded, replayed }: Difference): string =>
  `request ${requestId} at position ${position}, ${decision} decided at ${decidedAt}: recorded ${recorded}; repeated ${replayed}`;

const PROGRESS_INTERVAL_MS = 2_000;

function progressPrinter(print: (line: string) => void) {
  let printedAt = performance.now();
  return (reached: number, of: number) => {
    const now = performance.now();
    if (now - printedAt < PROGRESS_INTERVAL_MS) return;
    printedAt = now;
    print(`${reached} of ${of} events`);
  };
}
