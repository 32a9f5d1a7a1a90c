import { instant, type Position, position } from '../../domain/core/brands.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { SelectedRows } from '../../evidence/make/selectedRows.ts';
import { findSubject, nearestSubject } from '../../management/subjects/findSubject.ts';
import { readMoment } from '../../management/subjects/readMoment.ts';
import { subjectKinds } from '../../management/subjects/subjectKinds.ts';
import { refuseArguments } from '../commandLine/argumentsRefused.ts';
import { noOperand, readArguments, textOption } from '../commandLine/readArguments.ts';
import { browseSteps, type Keys } from './browseSteps.ts';
import { describeStep } from './describeStep.ts';
import { stepsAt } from './steps.ts';
import { CannotReadLog } from './untouchedLog.ts';
import { type CommandIo, type FolderPast, type PastConfig, refuseArchived, withPast } from './withPast.ts';

export interface StepCommand {
  readonly from: string;
  /** The end of the log without it. */
  readonly to: string | undefined;
  /** Every event without it. */
  readonly subject: string | undefined;
  readonly isJson: boolean;
}

/** @throws ArgumentsRefused */
export function parseStepArguments(args: readonly string[]): StepCommand {
  const text = { type: 'string' } as const;
  const options = { from: text, to: text, subject: text, json: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readArguments(args, options);
  noOperand(positionals);
  const { from = refuseArguments('--from is missing.'), to, json: isJson } = values;
  return { from, to, subject: textOption('--subject', values.subject), isJson };
}

export interface StepIo extends CommandIo {
  /** The keys of a terminal; without them, the steps are listed. */
  readonly keys?: Keys | undefined;
}

/**
 * `svc step`: prints the events of a period one by one, with the state of what each changed before and after it, and the difference.
 * @throws CannotReadLog, UnknownSubject, and what reading the log throws
 */
export async function runStep(command: StepCommand, config: PastConfig, io: StepIo): Promise<void> {
  const { from, to, isJson } = command;
  await withPast(config, io, async (folder) => {
    const first = Math.max(1, await positionOf(folder, from, '--from'));
    const last = await positionOf(folder, to, '--to');
    if (first > last && last > 0) throw new CannotReadLog(`--from is position ${first}, after --to, which is ${last}.`);
    const subjects =
      command.subject === undefined ? undefined : [await subjectOf(command.subject, first, last, folder)];
    const database = openForReading(folder.files.location);
    try {
      const positions = positionsOf(new SelectedRows(database, { subjects }).read({ first, last }));
      const count =
        io.keys && !isJson
          ? await browseSteps(positions, folder, { ...io, keys: io.keys })
          : await listSteps(positions, folder, isJson, io);
      if (count === 0) throw await nothingFound(command, last, folder);
    } catch (error) {
      refuseArchived(error);
    } finally {
      database.close();
    }
    folder.note();
  });
}

async function listSteps(
  positions: Iterable<Position>,
  folder: FolderPast,
  isJson: boolean,
  { print }: CommandIo,
): Promise<number> {
  let count = 0;
  for await (const step of stepsAt(positions, folder)) {
    count += 1;
    if (isJson) print(JSON.stringify(step));
    else for (const line of describeStep(step)) print(line);
  }
  return count;
}

async function nothingFound({ subject }: StepCommand, last: number, { past }: FolderPast): Promise<CannotReadLog> {
  if (subject === undefined) return new CannotReadLog('There is no event in this period.');
  const nearest = nearestSubject(subject, subjectKinds, [(await past.at({ position: position(last) })).state]);
  const advice = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new CannotReadLog(`There is no event of "${subject}" up to position ${last}.${advice}`);
}

function* positionsOf(rows: Iterable<{ readonly position: number }>): Generator<Position> {
  for (const row of rows) yield position(row.position);
}

/** A time means the first event at or after it for `--from`, and the last one by then for `--to`. @throws CannotReadLog */
async function positionOf({ past, now }: FolderPast, text: string | undefined, option: string): Promise<number> {
  if (text === undefined) return past.head;
  const moment = readMoment(text, { head: past.head, now });
  if (typeof moment === 'string') throw new CannotReadLog(`${option} ${moment}.`);
  if ('position' in moment) return moment.position;
  if (option === '--to') return past.positionAt(moment.time).catch(refuseArchived);
  // The last event before the time is not in the period.
  return (await past.positionAt(instant(moment.time - 1)).catch(refuseArchived)) + 1;
}

/** Subjects of History that no state has. */
const WITHOUT_STATE = /^(session|address|audit|archive|losses|accountLink|outbox|checkpoints)-./;

/** The subject of History that a text names. @throws UnknownSubject */
async function subjectOf(text: string, first: number, last: number, { past }: FolderPast): Promise<string> {
  if (WITHOUT_STATE.test(text)) return text;
  const states = [];
  for (const at of [first - 1, last])
    states.push((await past.at({ position: position(at) }).catch(refuseArchived)).state);
  const found = findSubject(text, states);
  return found.kind?.kind === 'hold' ? 'holds-main' : found.name;
}
