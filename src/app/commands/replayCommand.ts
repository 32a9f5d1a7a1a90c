import type { Instant } from '../../domain/core/brands.ts';
import { describeBreak, type LogBreak } from '../../eventLog/continuity.ts';
import { replayCsv } from '../../replay/output/replayCsv.ts';
import type { Difference } from '../../replay/recordedDecision.ts';
import { replayJson } from '../../replay/replayJson.ts';
import { type ReplayResult, replayLog } from '../../replay/replayLog.ts';
import { simulateLog } from '../../replay/whatIf/simulateLog.ts';
import { refuseArguments } from '../commandLine/argumentsRefused.ts';
import { noOperand, periodOptions, readArguments } from '../commandLine/readArguments.ts';
import type { Config } from '../config/config.ts';
import { withUntouchedLog } from '../past/untouchedLog.ts';
import { describeWhatIf } from '../replay/describeWhatIf.ts';
import { readWhatIf, type WhatIfArguments } from '../replay/readWhatIf.ts';

export interface ReplayCommand {
  readonly since: Instant | undefined;
  readonly until: Instant | undefined;
  readonly output: 'text' | 'json' | 'csv';
  /** Undefined: only repeat what was decided. */
  readonly whatIf: WhatIfArguments | undefined;
}

/** @throws ArgumentsRefused */
export function parseReplayArguments(args: readonly string[]): ReplayCommand {
  const { values, positionals } = readArguments(args, {
    since: { type: 'string' },
    until: { type: 'string' },
    json: { type: 'boolean', default: false },
    csv: { type: 'boolean', default: false },
    strategy: { type: 'string' },
    settings: { type: 'string' },
    limits: { type: 'string' },
    prices: { type: 'string' },
    'without-account': { type: 'string', multiple: true, default: [] },
    'plus-account': { type: 'string', multiple: true, default: [] },
  });
  noOperand(positionals);
  const { strategy, settings, limits, prices, json, csv } = values;
  if (json && csv) refuseArguments('--json and --csv are two forms of one output: give one of them.');
  const whatIf = {
    ...{ strategy, settings, limits, prices },
    withoutAccounts: values['without-account'],
    plusAccounts: values['plus-account'],
  };
  const isWhatIf = Object.values(whatIf).some((value) => value !== undefined && value.length > 0);
  return {
    ...periodOptions(values),
    output: json ? 'json' : csv ? 'csv' : 'text',
    whatIf: isWhatIf ? whatIf : undefined,
  };
}

export interface ReplayIo {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/**
 * `svc replay`: repeats every decision about the requests of a period, and names those that give another result. With a what-if
 * it plays the period again with what that changes. Reads beside a running service and changes no file.
 * @returns the exit code: 0 every decision repeats, 1 some do not
 * @throws CannotReadLog, InvalidWhatIf, and what reading the log throws
 */
export async function runReplay(
  { since, until, output, whatIf: given }: ReplayCommand,
  config: Pick<Config, 'SVC_DATA_DIR' | 'SVC_EVENTSTORE_URL'>,
  { print, printError }: ReplayIo,
): Promise<number> {
  const began = performance.now();
  const whatIf = given && readWhatIf(given);
  const onProgress = progressPrinter(printError);
  const { replay, report } = await withUntouchedLog(config, async (files) => {
    let isBroken = false;
    const onBroken = (found: LogBreak) => {
      if (!isBroken)
        printError(`Events are missing: ${describeBreak('the log', found)} Decisions behind it may not repeat.`);
      isBroken = true;
    };
    const options = { ...files, since, until, onProgress, onBroken };
    if (!whatIf) return { replay: await replayLog(options), report: undefined };
    const simulated = await simulateLog({ ...options, whatIf });
    return { replay: simulated.replay, report: simulated.whatIf };
  });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  if (output === 'json') print(JSON.stringify({ ...replayJson(replay), ...(report && { what_if: report }) }));
  else if (output === 'csv') for (const line of replayCsv(replayJson(replay), report ?? null)) print(line);
  else for (const line of [...linesOf(replay), ...(report ? ['', ...describeWhatIf(report)] : [])]) print(line);
  printError(`${replay.requests} requests in ${seconds} s`);
  return replay.differences.length === 0 ? 0 : 1;
}

function linesOf({
  requests,
  choices,
  admissions,
  refusals,
  countedOnly,
  imported = 0,
  repeated,
  archived,
  differences,
}: ReplayResult): string[] {
  const counts =
    `${requests} requests, ${refusals} of them refused by svc: ${choices} choices of an account, ${admissions} admissions. ` +
    `${repeated} decisions gave the recorded result, ${differences.length} another one.`;
  const onlyCounted = `${countedOnly} more refusals were only counted, so that they cannot be repeated.`;
  const fromOther = `${imported} more requests were imported from another program, which decided them.`;
  const fromArchive = `${archived} decisions were taken from a state of an archived day, so that they cannot be repeated.`;
  return [
    ...differences.map(describe),
    counts,
    ...(countedOnly > 0 ? [onlyCounted] : []),
    ...(imported > 0 ? [fromOther] : []),
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
