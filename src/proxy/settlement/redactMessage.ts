import { maskAddresses, maskEncoded, unescaped } from './maskText.ts';

/** A run of this many characters that also stands in the request is taken out; shorter ones are words that any text has. */
const MIN_RUN = 16;
/** Only the beginning of a message is kept, so only this much is compared. */
const MAX_COMPARED_CHARACTERS = 2_000;
/** Comparing takes up to 20 ms per MiB, in which nothing else is served; beyond this size the message is not kept at all. */
export const MAX_COMPARED_BYTES = 1_048_576;

/** Takes the place of what was taken out. */
const REMOVED = '[...]';

/**
 * Takes out of a provider's message what came from the client: every run of 16 characters that also stands in the request,
 * every e-mail and IP address, and what looks encoded. The log keeps messages for years, and a provider may echo the prompt.
 * @param message decoded from JSON; may itself quote JSON, a URL or HTML, whose escapes are decoded for the comparison
 * @param body of the request as it was sent, JSON in UTF-8, in consecutive pieces; compared after decoding its escapes, also
 *   those of JSON within JSON, such as the arguments of a tool
 * @param known names that the event keeps anyway, for example the model's
 * @returns undefined when the body is too large to compare, so that nothing of the message may be kept
 */
export function redactMessage(
  message: string,
  body: readonly Uint8Array[],
  known: readonly string[] = [],
): string | undefined {
  if (body.reduce((sum, { length }) => sum + length, 0) > MAX_COMPARED_BYTES) return undefined;
  const text = message.slice(0, MAX_COMPARED_CHARACTERS);
  const isEchoed = new Uint8Array(text.length);
  const runs = runsOf(text);
  if (runs.size > 0) {
    for (const request of readingsOf(Buffer.concat(body).toString())) markRuns(runs, request, isEchoed);
    for (const name of known) unmark(text, name, isEchoed);
  }
  return maskAddresses(maskEncoded(withoutMarked(text, isEchoed)));
}

/** Code units of a text: loops over them cost a fraction of what functions of strings do. */
type Units = Uint16Array;

const unitsOf = (text: string): Units => {
  const bytes = Buffer.from(text, 'utf16le');
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
};

/** The text, and what it becomes when its escapes are decoded once and twice. */
function* readingsOf(json: string): Generator<Units> {
  let text = unitsOf(json);
  yield text;
  for (let level = 0; level < 2 && text.includes(BACKSLASH); level++) {
    text = decodeEscapes(text);
    yield text;
  }
}

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** What a backslash and this code unit mean; 0: the unit itself. */
const ESCAPES = new Uint16Array(128);
for (const [letter, meaning] of ['n\n', 't\t', 'r\r', 'b\b', 'f\f']) {
  ESCAPES[(letter as string).charCodeAt(0)] = (meaning as string).charCodeAt(0);
}

/** Value of a hexadecimal digit; 255: not one. */
const DIGITS = new Uint8Array(128).fill(255);
for (let value = 0; value < 16; value++) {
  for (const digit of [value.toString(16), value.toString(16).toUpperCase()]) DIGITS[digit.charCodeAt(0)] = value;
}

const digitAt = (text: Units, at: number): number => DIGITS[text[at] ?? 255] ?? 255;

/** @param starts is filled with the offset at which each decoded unit begins */
function decodeEscapes(text: Units, starts?: Uint32Array): Units {
  const decoded = new Uint16Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    let unit = text[at] as number;
    if (starts !== undefined) starts[length] = at;
    if (unit === BACKSLASH && at + 1 < text.length) {
      at += 1;
      unit = text[at] as number;
      const code = unit === LETTER_U ? codeAt(text, at + 1) : -1;
      if (code >= 0) {
        at += 4;
        unit = code;
      } else unit = ESCAPES[unit] || unit;
    }
    decoded[length++] = unit;
  }
  if (starts !== undefined) starts[length] = text.length;
  return decoded.subarray(0, length);
}

/** @returns the value of four hexadecimal digits; -1 when there is something else */
function codeAt(text: Units, at: number): number {
  let code = 0;
  for (let digit = at; digit < at + 4; digit++) {
    const value = digitAt(text, digit);
    if (value === 255) return -1;
    code = code * 16 + value;
  }
  return code;
}

/** A part of the message, from its first code unit to the one after its last. */
type Range = readonly [start: number, end: number];

/** What each run of `MIN_RUN` characters is in the message, by its hash and its text. */
type Runs = Map<number, Map<string, Range[]>>;

/**
 * The runs of the message, of what it becomes when its escapes are decoded once and twice, because a provider may quote JSON, and
 * when those of a URL or of HTML are.
 */
function runsOf(message: string): Runs {
  const runs: Runs = new Map();
  let text = unitsOf(message);
  let starts = Uint32Array.from({ length: text.length + 1 }, (_, at) => at);
  addRuns(runs, text, starts);
  for (let level = 0; level < 2 && text.includes(BACKSLASH); level++) {
    const inText = new Uint32Array(text.length + 1);
    text = decodeEscapes(text, inText);
    const outer = starts;
    starts = inText.subarray(0, text.length + 1).map((at) => outer[at] as number);
    addRuns(runs, text, starts);
  }
  for (const { text, starts } of unescaped(message)) addRuns(runs, unitsOf(text), starts);
  return runs;
}

/** @param starts where each code unit begins in the message */
function addRuns(runs: Runs, text: Units, starts: Uint32Array): void {
  forEachRun(text, (hash, start) => {
    const byText = runs.get(hash) ?? new Map<string, Range[]>();
    runs.set(hash, byText);
    const run = textOf(text, start);
    const range: Range = [starts[start] as number, starts[start + MIN_RUN] as number];
    const ranges = byText.get(run);
    if (ranges) ranges.push(range);
    else byText.set(run, [range]);
  });
}

const textOf = (text: Units, start: number): string => String.fromCharCode(...text.subarray(start, start + MIN_RUN));

const BASE = 0x01000193;
/** `BASE` to the power of `MIN_RUN`, modulo 2^32. */
const LEAVING = Array.from({ length: MIN_RUN }).reduce<number>((power) => Math.imul(power, BASE), 1);

/** Calls back with a rolling hash for each run of `MIN_RUN` characters. */
function forEachRun(text: Units, onRun: (hash: number, start: number) => void): void {
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    hash = (Math.imul(hash, BASE) + (text[at] as number)) | 0;
    if (at >= MIN_RUN) hash = (hash - Math.imul(text[at - MIN_RUN] as number, LEAVING)) | 0;
    if (at >= MIN_RUN - 1) onRun(hash, at - MIN_RUN + 1);
  }
}

/** Marks the runs that stand in the request and forgets them: each has to be found only once. */
function markRuns(runs: Runs, request: Units, isEchoed: Uint8Array): void {
  // A table of bits in front of the map: nearly every run of a request is in no message.
  const mayBeRun = new Uint8Array(1 << 16);
  for (const hash of runs.keys()) mayBeRun[hash & 0xffff] = 1;
  forEachRun(request, (hash, start) => {
    if (mayBeRun[hash & 0xffff] === 0) return;
    const byText = runs.get(hash);
    if (!byText) return;
    const run = textOf(request, start);
    for (const [from, to] of byText.get(run) ?? []) isEchoed.fill(1, from, to);
    byText.delete(run);
    if (byText.size === 0) runs.delete(hash);
  });
}

/** Keeps a name that stands in the message as a whole, unless more than the name was echoed. */
function unmark(text: string, name: string, isEchoed: Uint8Array): void {
  if (name === '') return;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    const end = at + name.length;
    const isAlone = isEchoed[at - 2] !== 1 && isEchoed[end + 1] !== 1;
    if (isAlone) isEchoed.fill(0, Math.max(0, at - 1), Math.min(text.length, end + 1));
  }
}

function withoutMarked(text: string, isEchoed: Uint8Array): string {
  let kept = '';
  for (let at = 0; at < text.length; ) {
    let end = at;
    while (end < text.length && isEchoed[end] === isEchoed[at]) end++;
    kept += isEchoed[at] ? REMOVED : text.slice(at, end);
    at = end;
  }
  return kept.toWellFormed();
}
