import { iso } from '../../domain/core/brands.ts';
import { type BlamedField, blame, blamedKinds } from '../../management/subjects/blame.ts';
import { findSubject } from '../../management/subjects/findSubject.ts';
import { BlameEventsOfFile } from '../../replay/blame/blameEvents.ts';
import { oneOperand, readArguments } from '../commandLine/readArguments.ts';
import { FORGOTTEN, valueText } from './describeState.ts';
import { actorText } from './describeStep.ts';
import { refuseAbsent } from './showCommand.ts';
import { CannotReadLog } from './untouchedLog.ts';
import { type CommandIo, type PastConfig, withPast } from './withPast.ts';

export interface BlameCommand {
  readonly subject: string;
  readonly at: string | undefined;
  readonly isJson: boolean;
}

/** @throws ArgumentsRefused */
export function parseBlameArguments(args: readonly string[]): BlameCommand {
  const options = { at: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readArguments(args, options);
  return { subject: oneOperand(positionals, 'SUBJECT'), at: values.at, isJson: values.json };
}

/**
 * `svc blame`: prints each field of a resource with the event that set it last, its actor and its time.
 * @throws CannotReadLog, UnknownSubject, and what reading the log throws
 */
export async function runBlame(command: BlameCommand, config: PastConfig, io: CommandIo): Promise<void> {
  await withPast(config, io, async (folder) => {
    const view = await folder.view(command.at, '--at');
    const found = findSubject(command.subject, [view.state]);
    if (found.kind && !blamedKinds.includes(found.kind.kind))
      throw new CannotReadLog(`Events are not blamed for ${found.kind.kind}. Name one of ${blamedKinds.join(', ')}.`);
    const events = new BlameEventsOfFile(folder.files.location);
    try {
      const fields = (await blame(found, view, folder.vault, events)) ?? refuseAbsent(found, command.subject, view);
      folder.note(found.kind?.kind === 'account');
      const { position } = view.state;
      if (command.isJson) {
        io.print(JSON.stringify({ subject: found.name, position, time: iso(view.now), fields }));
        return;
      }
      io.print(`${found.name} at position ${position} (${iso(view.now)})`);
      for (const line of describeBlame(fields)) io.print(`  ${line}`);
    } finally {
      events.close();
    }
  });
}

const MAX_WIDTH = 40;

function describeBlame(fields: readonly BlamedField[]): string[] {
  const width = Math.min(MAX_WIDTH, Math.max(...fields.map(({ path }) => path.length)));
  return fields.map((field) => {
    const text = field.is_forgotten ? FORGOTTEN : `${valueText(field.value)}  ${originText(field)}`;
    return `${field.path.padEnd(width)}  ${text}`;
  });
}

const WITHOUT_EVENT: Readonly<Record<BlamedField['source'], string>> = {
  event: 'the default, never changed',
  usage: 'no usage was observed',
  tokens: 'no tokens',
  requests: 'from requests, none in the last 100,000 events',
  open_requests: 'from open requests',
  clock: 'from the clock',
  api_keys: 'from API keys',
  operators: 'from operators',
};

const originText = ({ source, position, time, type, actor }: BlamedField): string =>
  position === null || actor === null
    ? `(${WITHOUT_EVENT[source]})`
    : `${time}  ${type} at ${position}  by ${actorText(actor)}`;
