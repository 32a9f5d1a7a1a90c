import type { Position } from '../../domain/core/brands.ts';
import { describeState } from './describeState.ts';
import { describeStep } from './describeStep.ts';
import { type Step, stepsAt } from './steps.ts';
import type { CommandIo, FolderPast } from './withPast.ts';

/** What was typed, key by key; ends when the terminal is closed. */
export type Keys = AsyncIterable<string>;

/** Steps that are kept as they were printed; earlier ones are computed again. */
const MAX_KEPT = 256;

const HELP = 'Keys: n or right next, p or left previous, s state before and after, h help, q quit.';

const COMMANDS: Readonly<Record<string, 'next' | 'previous' | 'state' | 'quit'>> = {
  n: 'next',
  j: 'next',
  ' ': 'next',
  '\r': 'next',
  '\n': 'next',
  '\u001b[C': 'next',
  '\u001b[B': 'next',
  '\u001bOC': 'next',
  '\u001bOB': 'next',
  p: 'previous',
  k: 'previous',
  '\u001b[D': 'previous',
  '\u001b[A': 'previous',
  '\u001bOD': 'previous',
  '\u001bOA': 'previous',
  s: 'state',
  q: 'quit',
  '\u001b': 'quit',
  '\u0003': 'quit',
  '\u0004': 'quit',
};

/** Goes through events forward and back, by keys of a terminal. @returns 0 when there is no event */
export async function browseSteps(
  positions: Iterator<Position>,
  folder: FolderPast,
  { print, keys }: CommandIo & { readonly keys: Keys },
): Promise<number> {
  const steps = new Steps(positions, folder);
  let step = await steps.move(1);
  if (!step) return 0;
  const show = (lines: readonly string[]) => {
    for (const line of lines) print(line);
  };
  show([HELP, ...describeStep(step)]);
  for await (const key of keys) {
    const command = COMMANDS[key];
    if (command === 'quit') break;
    if (command === 'state') show(stateLines(step));
    else if (command === undefined) show([HELP]);
    else {
      const moved: Step | undefined = await steps.move(command === 'next' ? 1 : -1);
      if (moved) show(describeStep(moved));
      else show([command === 'next' ? 'This is the last event.' : 'This is the first event.']);
      step = moved ?? step;
    }
  }
  return 1;
}

const stateLines = ({ before, after }: Step): string[] => [
  'Before:',
  ...describeState(before).map((line) => `    ${line}`),
  'After:',
  ...describeState(after).map((line) => `    ${line}`),
];

/** The steps that were visited, of which the last ones are kept. */
class Steps {
  readonly #source: Iterator<Position>;
  readonly #folder: FolderPast;
  readonly #visited: Position[] = [];
  readonly #kept = new Map<Position, Step>();
  #index = -1;

  constructor(source: Iterator<Position>, folder: FolderPast) {
    this.#source = source;
    this.#folder = folder;
  }

  /** @returns undefined where there is none, and stays */
  async move(by: 1 | -1): Promise<Step | undefined> {
    const index = this.#index + by;
    if (index === this.#visited.length) {
      const next = this.#source.next();
      if (next.done) return undefined;
      this.#visited.push(next.value);
    }
    const at = this.#visited[index];
    if (at === undefined) return undefined;
    this.#index = index;
    return this.#kept.get(at) ?? this.#compute(at);
  }

  async #compute(at: Position): Promise<Step | undefined> {
    for await (const step of stepsAt([at], this.#folder)) {
      this.#kept.set(at, step);
      if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value as Position);
      return step;
    }
    return undefined;
  }
}
