import type { ErrorDetails } from './errorEntry.ts';

const MAX_GIVEN = 200;

/** @returns the detail of this name as it can be shown, or what stands for it when there is none */
export const detail = (details: ErrorDetails, name: string, otherwise: string): string =>
  details[name] === undefined ? otherwise : printable(String(details[name]));

/** What a client sent, as it can be shown: messages end up in terminals and in the log. */
function printable(text: string): string {
  const short = text.length > MAX_GIVEN ? `${text.slice(0, MAX_GIVEN)}...` : text;
  return short.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** A problem with the part of the input that it belongs to; the given sentence when it is not known. */
export const withProblem = (otherwise: string) => (details: ErrorDetails) =>
  details.problem === undefined
    ? otherwise
    : details.param === undefined
      ? capitalised(String(details.problem))
      : `${String(details.param)} ${String(details.problem)}`;

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
