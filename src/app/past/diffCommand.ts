import { iso } from '../../domain/core/brands.ts';
import type { View } from '../../management/http/views.ts';
import { difference } from '../../management/resources/history/difference.ts';
import { findSubject } from '../../management/subjects/findSubject.ts';
import { withoutForgotten } from '../../management/subjects/forgottenFields.ts';
import { refuseArguments } from '../commandLine/argumentsRefused.ts';
import { oneOperand, readArguments } from '../commandLine/readArguments.ts';
import { changeText } from './describeState.ts';
import { stateOf } from './showCommand.ts';
import { CannotReadLog } from './untouchedLog.ts';
import { type CommandIo, type PastConfig, withPast } from './withPast.ts';

export interface DiffCommand {
  readonly subject: string;
  readonly from: string;
  /** The end of the log without it. */
  readonly to: string | undefined;
  readonly isJson: boolean;
}

/** @throws ArgumentsRefused */
export function parseDiffArguments(args: readonly string[]): DiffCommand {
  const text = { type: 'string' } as const;
  const options = { from: text, to: text, json: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readArguments(args, options);
  const { from = refuseArguments('--from is missing.'), to, json: isJson } = values;
  return { subject: oneOperand(positionals, 'SUBJECT'), from, to, isJson };
}

/**
 * `svc diff`: prints which fields of a resource differ between two moments.
 * @throws CannotReadLog, UnknownSubject, and what reading the log throws
 */
export async function runDiff(command: DiffCommand, config: PastConfig, io: CommandIo): Promise<void> {
  await withPast(config, io, async (folder) => {
    const from = await folder.view(command.from, '--from');
    const to = await folder.view(command.to, '--to');
    if (from.state.position > to.state.position)
      throw new CannotReadLog(`--from is position ${from.state.position}, after --to, which is ${to.state.position}.`);
    const found = findSubject(command.subject, [to.state, from.state]);
    const [before, after] = [stateOf(found, from, folder), stateOf(found, to, folder)];
    if (before === null && after === null)
      throw new CannotReadLog(
        `There is no ${found.name} at position ${from.state.position} nor at ${to.state.position}.`,
      );
    const [was, is] = [withoutForgotten(before), withoutForgotten(after)];
    const forgotten = [...new Set([...was.forgotten, ...is.forgotten])];
    const isCompared = ({ path }: { readonly path: string }) => !forgotten.includes(path);
    const changes = difference(was.known, is.known).filter(isCompared);
    folder.note(found.kind?.kind === 'account');
    if (command.isJson) {
      io.print(JSON.stringify({ subject: found.name, from: momentOf(from), to: momentOf(to), changes, forgotten }));
      return;
    }
    io.print(
      `${found.name}, from position ${from.state.position} (${iso(from.now)}) to ${to.state.position} (${iso(to.now)})`,
    );
    if (changes.length === 0) io.print('  no difference');
    for (const change of changes) io.print(`  ${changeText(change)}`);
    for (const path of forgotten) io.print(`  ${path.slice(1)}: forgotten, so that it is not compared`);
  });
}

const momentOf = ({ state, now }: View) => ({ position: state.position, time: iso(now) });
