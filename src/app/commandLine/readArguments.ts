import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { parseTime } from '../../management/http/isoTime.ts';
import { refuseArguments, shown } from './argumentsRefused.ts';

/** Reads options and operands of a command, as `parseArgs` does. @throws ArgumentsRefused */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    return refuseArguments(sentenceOf(error as Error));
  }
}

/** The errors of `parseArgs` speak to programmers. */
function sentenceOf({ message }: Error): string {
  const option = /'(?:-\w, )?(--?[^\s'=]+)/.exec(message)?.[1] ?? '';
  if (message.startsWith('Unknown option')) return `There is no option ${shown(option)}.`;
  if (message.includes('does not take an argument')) return `${option} takes no value.`;
  return `${option} needs a value; one that begins with "-" is written ${option}=VALUE.`;
}

/** @returns the one operand that a command takes. @throws ArgumentsRefused when there is none, or more than one */
export function oneOperand(operands: readonly string[], name: string): string {
  return optionalOperand(operands) ?? refuseArguments(`${name} is missing.`);
}

/** @throws ArgumentsRefused when there is more than one */
export function optionalOperand([operand, ...more]: readonly string[]): string | undefined {
  if (more.length > 0) refuseArguments(`${shown(more[0] ?? '')} is one argument too many.`);
  return operand === '' ? undefined : operand;
}

/** @throws ArgumentsRefused when there is one */
export function noOperand([operand]: readonly string[]): void {
  if (operand !== undefined) refuseArguments(`${shown(operand)} is one argument too many.`);
}

/** Refuses an option that is given without a text. @throws ArgumentsRefused */
export function textOption(name: string, text: string | undefined): string | undefined {
  return text === '' ? refuseArguments(`${name} needs a value.`) : text;
}

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Reads an end of a period: a time, or a day of UTC.
 * @param of which millisecond of a day is meant
 * @throws ArgumentsRefused for another text
 */
export function timeOption(name: string, text: string | undefined, of: 'first' | 'last'): Instant | undefined {
  if (text === undefined) return undefined;
  const time =
    parseTime(text) ??
    refuseArguments(`${name} must be a day (UTC) or a time like 2026-01-31T12:00:00Z, not ${shown(text)}.`);
  return of === 'last' && DAY.test(text) ? instant(time + DAY_MS - 1) : time;
}

/** Reads both ends of a period. @throws ArgumentsRefused also when it ends before it begins */
export function periodOptions({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  const period = { since: timeOption('--since', since, 'first'), until: timeOption('--until', until, 'last') };
  if (period.since !== undefined && period.until !== undefined && period.since > period.until)
    refuseArguments(`--since ${since} is later than --until ${until}.`);
  return period;
}

/** Reads a position of the log. @throws ArgumentsRefused */
export function positionOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text))
    refuseArguments(`${name} must be a position of the log, from 1, not ${shown(text)}.`);
  return Number(text);
}
