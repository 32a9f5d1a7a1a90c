import type { ErrorDetails } from './errorEntry.ts';

const MAX_DETAIL_LENGTH = 200;

/** @returns a detail as printable text, or `fallback` if it is missing */
export const detail = (details: ErrorDetails, name: string, fallback: string): string =>
  details[name] === undefined ? fallback : toPrintable(String(details[name]));

/** Shortens what a client sent and replaces control characters: messages are written to terminals and logs. */
function toPrintable(text: string): string {
  const short = text.length > MAX_DETAIL_LENGTH ? `${text.slice(0, MAX_DETAIL_LENGTH)}...` : text;
  return short.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** @returns a message with the exact problem, after the name of the parameter if there is one; without a problem, `fallback` */
export const withProblem = (fallback: string) => (details: ErrorDetails) =>
  details.problem === undefined
    ? fallback
    : details.param === undefined
      ? capitalize(String(details.problem))
      : `${detail(details, 'param', '')} ${String(details.problem)}`;

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
