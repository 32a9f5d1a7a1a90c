import { parseArgs } from 'node:util';
import { describeExplanation } from '../replay/explain/describeExplanation.ts';
import { explainFromLog } from '../replay/explain/explainFromLog.ts';
import type { Config } from './config/config.ts';
import { CannotReadLog, withUntouchedLog } from './untouchedLog.ts';

export interface ExplainCommand {
  readonly requestId: string;
  readonly isJson: boolean;
}

/** @returns undefined for arguments that `explain` does not have */
export function parseExplainArguments(args: readonly string[]): ExplainCommand | undefined {
  try {
    const options = { json: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    const [requestId, ...more] = positionals;
    return requestId === undefined || requestId === '' || more.length > 0
      ? undefined
      : { requestId, isJson: values.json };
  } catch {
    return undefined;
  }
}

/**
 * `svc explain`: prints why a request went where it went, or why it was refused.
 * @throws CannotReadLog when there is no such request, or no log, and what reading the log throws
 */
export async function runExplain(
  { requestId, isJson }: ExplainCommand,
  config: Pick<Config, 'SVC_DATA_DIR' | 'SVC_EVENTSTORE_URL'>,
  print: (line: string) => void,
): Promise<void> {
  const explanation = await withUntouchedLog(config, (files) => explainFromLog(files, requestId));
  if (!explanation) {
    throw new CannotReadLog(
      `The log has no request ${requestId} that has ended. Of refusals beyond the first ones of a minute, svc records only their number.`,
    );
  }
  if (isJson) print(JSON.stringify(explanation));
  else for (const line of describeExplanation(explanation)) print(line);
}
