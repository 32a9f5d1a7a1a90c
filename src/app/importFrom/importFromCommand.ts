import { parseArgs } from 'node:util';
import type { CommandIo } from '../commandLine/command.ts';
import type { Config } from '../config/config.ts';
import { type ImportOptions, importFromCodexLb } from './importFrom.ts';
import { reportLines } from './importReport.ts';

type ImportArguments = ImportOptions & { readonly isJson: boolean };

/** @returns undefined for arguments that `import-from` does not have */
export function parseImportFromArguments([program, ...args]: readonly string[]): ImportArguments | undefined {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean', default: false }] as const;
  const options = { database: text, key: text, 'dry-run': flag, 'keep-active': flag, requests: flag, json: flag };
  try {
    const { values } = parseArgs({ args: [...args], options });
    const { database, key } = values;
    if (program !== 'codex-lb' || database === undefined || key === undefined) return undefined;
    return {
      database,
      keyFile: key,
      isDryRun: values['dry-run'],
      keepsActive: values['keep-active'],
      withRequests: values.requests,
      isJson: values.json,
    };
  } catch {
    return undefined;
  }
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
