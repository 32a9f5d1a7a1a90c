import { iso } from '../../domain/core/brands.ts';
import type { Json } from '../../domain/core/redact.ts';
import type { View } from '../../management/http/views.ts';
import { findSubject, nearestSubject, SHAPES, type SubjectName } from '../../management/subjects/findSubject.ts';
import { requestEntry } from '../../management/subjects/requestEntry.ts';
import { subjectKinds } from '../../management/subjects/subjectKinds.ts';
import { oneOperand, readArguments } from '../commandLine/readArguments.ts';
import { describeState } from './describeState.ts';
import { CannotReadLog } from './untouchedLog.ts';
import { type CommandIo, type FolderPast, type PastConfig, withPast } from './withPast.ts';

export interface ShowCommand {
  readonly subject: string;
  readonly at: string | undefined;
  readonly isJson: boolean;
}

/** @throws ArgumentsRefused */
export function parseShowArguments(args: readonly string[]): ShowCommand {
  const options = { at: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readArguments(args, options);
  return { subject: oneOperand(positionals, 'SUBJECT'), at: values.at, isJson: values.json };
}

/**
 * `svc show`: prints a resource as its GET shows it, now or at an earlier moment.
 * @throws CannotReadLog, UnknownSubject, and what reading the log throws
 */
export async function runShow({ subject, at, isJson }: ShowCommand, config: PastConfig, io: CommandIo): Promise<void> {
  await withPast(config, io, async (folder) => {
    const view = await folder.view(at, '--at');
    const found = findSubject(subject, [view.state]);
    const state = stateOf(found, view, folder) ?? refuseAbsent(found, subject, view);
    folder.note(found.kind?.kind === 'account');
    if (isJson) io.print(JSON.stringify(state));
    else {
      io.print(`${found.name} at position ${view.state.position} (${iso(view.now)})`);
      for (const line of describeState(state)) io.print(`  ${line}`);
    }
  });
}

/** The resource at a moment; null when it did not exist then. */
export const stateOf = ({ kind, id }: SubjectName, view: View, { vault, files, endOf }: FolderPast): Json =>
  kind ? kind.show(id, view, vault) : requestEntry(files.location, id, view.state, { vault, endAt: endOf(id) });

/** @throws CannotReadLog with the nearest name */
export function refuseAbsent({ name, kind, id }: SubjectName, text: string, { state }: View): never {
  const nearest = nearestSubject(kind ? id : text, kind ? [kind] : subjectKinds, [state]);
  const advice = nearest === undefined ? `Name ${SHAPES}.` : `Did you mean ${nearest}?`;
  throw new CannotReadLog(`There is no ${kind ? name : `"${text}"`} at position ${state.position}. ${advice}`);
}
