import { refuseArguments, shown } from '../commandLine/argumentsRefused.ts';
import type { CommandIo } from '../commandLine/command.ts';
import { noOperand, readArguments } from '../commandLine/readArguments.ts';
import type { Config } from '../config/config.ts';
import { type ImportOptions, importFromCodexLb } from './importFrom.ts';
import { reportLines } from './importReport.ts';

type ImportArguments = ImportOptions & { readonly isJson: boolean };

/** @throws ArgumentsRefused */
export function parseImportFromArguments([program = '', ...args]: readonly string[]): ImportArguments {
  if (program !== 'codex-lb') {
    refuseArguments(program === '' ? 'PROGRAM is missing.' : `svc imports from codex-lb, not from ${shown(program)}.`);
  }
  const [text, flag] = [{ type: 'string' }, { type: 'boolean', default: false }] as const;
  const { values, positionals } = readArguments(args, {
    database: text,
    key: text,
    'dry-run': flag,
    'keep-active': flag,
    requests: flag,
    json: flag,
  });
  noOperand(positionals);
  const database = values.database ?? refuseArguments('--database is missing.');
  return {
    database,
    keyFile: values.key ?? refuseArguments('--key is missing.'),
    isDryRun: values['dry-run'],
    keepsActive: values['keep-active'],
    withRequests: values.requests,
    isJson: values.json,
  };
}

/** `svc import-from`: takes over what another program has, and reports it. */
export async function runImportFrom(
  { isJson, ...options }: ImportArguments,
  config: Config,
  { print, printError }: CommandIo,
): Promise<void> {
  const { schema, items, isChange } = await importFromCodexLb(options, config, printError);
  if (isJson) {
    print(JSON.stringify({ program: 'codex-lb', schema, dry_run: options.isDryRun, changed: isChange, items }));
    return;
  }
  for (const line of reportLines(items)) print(line);
  print(isChange ? ENDS[options.isDryRun ? 'dryRun' : 'imported'] : ENDS.nothing);
}

const ENDS = {
  nothing: 'Nothing is left to import: nothing was changed.',
  dryRun: 'Nothing was changed: this was a dry run.',
  imported: 'Imported. Do not start codex-lb again: refresh tokens work once, and svc has them now.',
};
