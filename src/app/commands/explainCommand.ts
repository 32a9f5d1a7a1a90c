import { describeImported } from '../../domain/moving/events.ts';
import { ArchivedEvents, describeArchivedRequest } from '../../eventLog/archive/archivedEvents.ts';
import { describeExplanation } from '../../replay/explain/describeExplanation.ts';
import { explainFrom } from '../../replay/explain/explainFromLog.ts';
import { ExplainSource } from '../../replay/explain/explainSource.ts';
import type { LogFiles } from '../../replay/logFiles.ts';
import { oneOperand, readArguments } from '../commandLine/readArguments.ts';
import { CannotReadLog } from '../past/untouchedLog.ts';
import { type CommandIo, type PastConfig, refuseArchived, withPast } from '../past/withPast.ts';

export interface ExplainCommand {
  readonly requestId: string;
  readonly isJson: boolean;
}

/** @throws ArgumentsRefused */
export function parseExplainArguments(args: readonly string[]): ExplainCommand {
  const { values, positionals } = readArguments(args, { json: { type: 'boolean', default: false } });
  return { requestId: oneOperand(positionals, 'REQUEST'), isJson: values.json };
}

/** @throws CannotReadLog for a request that another program served */
function refuseImported({ location }: LogFiles, requestId: string): void {
  const source = new ExplainSource(location);
  try {
    const imported = source.importOf(requestId);
    if (imported) throw new CannotReadLog(describeImported(requestId, imported.data.program));
  } finally {
    source.close();
  }
}

/** @throws CannotReadLog for a request whose event is in an archive file */
function refuseArchivedRequest({ archive }: LogFiles, requestId: string): undefined {
  const archived = archive === undefined ? undefined : ArchivedEvents.open(archive);
  try {
    const found = archived?.findRequest(requestId);
    if (found) throw new CannotReadLog(describeArchivedRequest(requestId, found));
  } finally {
    archived?.close();
  }
  return undefined;
}

/**
 * `svc explain`: prints why a request went where it went, or why it was refused.
 * @throws CannotReadLog when there is no such request, or no log, and what reading the log throws
 */
export async function runExplain(
  { requestId, isJson }: ExplainCommand,
  config: PastConfig,
  io: CommandIo,
): Promise<void> {
  const { print } = io;
  const explanation = await withPast(config, io, async (folder) => {
    const { past, files } = folder;
    const explained = await explainFrom(past, files.location, requestId, folder.endOf(requestId)).catch(refuseArchived);
    folder.note();
    if (explained) return explained;
    refuseImported(files, requestId);
    return refuseArchivedRequest(folder.files, requestId);
  });
  if (!explanation) {
    throw new CannotReadLog(
      `The log has no request ${requestId} that has ended. Of refusals beyond the first ones of a minute, svc records only their number.`,
    );
  }
  if (isJson) print(JSON.stringify(explanation));
  else for (const line of describeExplanation(explanation)) print(line);
}
