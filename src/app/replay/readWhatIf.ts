import { readFileSync, statSync } from 'node:fs';
import { parseWhatIf } from '../../management/resources/replays/whatIfInput.ts';
import { InvalidWhatIf, type WhatIf } from '../../replay/whatIf/whatIf.ts';

/** The what-if of a command: names, ids and paths of files as they were given. */
export interface WhatIfArguments {
  readonly strategy?: string | undefined;
  readonly settings?: string | undefined;
  readonly limits?: string | undefined;
  readonly prices?: string | undefined;
  readonly withoutAccounts: readonly string[];
  readonly plusAccounts: readonly string[];
}

/** A larger file is a mistake. */
const MAX_FILE_BYTES = 16 * 2 ** 20;
const PLAN = /^[a-z][a-z0-9_-]{0,63}$/;

/** Reads the files of a what-if and validates it as the API does. @throws InvalidWhatIf naming option, file and field */
export function readWhatIf(args: WhatIfArguments): WhatIf {
  const { strategy, settings, limits, prices, withoutAccounts, plusAccounts } = args;
  const result = parseWhatIf({
    ...(strategy !== undefined && { strategy }),
    ...(settings !== undefined && { settings: readJson('--settings', settings) }),
    ...(limits !== undefined && { limits: readJson('--limits', limits) }),
    ...(prices !== undefined && { prices: readJson('--prices', prices) }),
    ...(withoutAccounts.length > 0 && { without_accounts: withoutAccounts }),
    ...(plusAccounts.length > 0 && { plus_accounts: plusAccounts.map(plusAccountOf) }),
  });
  if ('whatIf' in result) return result.whatIf;
  const { param, problem } = result.problem;
  throw new InvalidWhatIf(`${sourceOf(param, args)} ${problem}.`);
}

/** Where a field comes from, as the subject of a sentence. */
function sourceOf(param: string, { plusAccounts, ...files }: WhatIfArguments): string {
  const [first = '', ...rest] = param.split('.');
  const field = rest.join('.');
  if (first === 'strategy') return `--strategy ${files.strategy}`;
  if (first === 'without_accounts') return '--without-account';
  if (first === 'plus_accounts') {
    const [index = '0', ...inner] = rest;
    return `--plus-account ${plusAccounts[Number(index)] ?? ''}${inner.length > 0 ? `: ${inner.join('.')}` : ''}`;
  }
  const path = files[first as 'settings' | 'limits' | 'prices'];
  return `--${first} ${path}${field === '' ? '' : `: ${field}`}`;
}

const plusAccountOf = (given: string): unknown =>
  PLAN.test(given) ? { plan_type: given } : readJson('--plus-account', given);

function readJson(option: string, path: string): unknown {
  const problem = (text: string) => new InvalidWhatIf(`${option} ${path} ${text}.`);
  let text: string;
  try {
    if (statSync(path).size > MAX_FILE_BYTES) throw problem(`is larger than ${MAX_FILE_BYTES} bytes`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof InvalidWhatIf) throw error;
    throw problem(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw problem('is not JSON');
  }
}
