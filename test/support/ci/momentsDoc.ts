import type { PlacedEndpoint } from '../../../src/http/openApi/endpoint.ts';
import { endpointsOf } from '../../../src/management/http/describeRoute.ts';
import { startManagement } from '../management.ts';
import { code, table } from './markdown.ts';

const HEAD = `# Earlier moments

<!-- Written by \`npm run docs\` from the declarations of the routes. Do not edit. -->

\`?at=\` on a GET of management returns what it returned at that moment. A moment is a position of the log (the state right after
that event) or an ISO 8601 time (the last position that was written by then, also after a clock jumped). A moment beyond the log or
in the future, and a value that is neither, gets 400 \`validation_error\`. A moment for which archived events are needed gets
410 \`archived\`, which names the day and the file; lists name the archived days that they lack. What was forgotten stays so
at every moment, and is named: an object has \`forgotten\` with the names of such fields, whose value is null, or \`unknown@example.com\` for
the e-mail address of a deleted account ([decision 0092](decisions/0092-forgotten-is-named.md)).
Figures that come from the configuration of a node are those of now. Several nodes that share a log hold the windows of limits of a
node whose clock has jumped: what such a node showed meanwhile is not in the log, so \`?at=\` shows its windows by the clock of the moment.

The dashboard puts every page at an earlier moment with *Time* in the navigation ([dashboard](dashboard.md#earlier-moments)); how it works is in
[decision 0081](decisions/0081-any-moment.md).
`;

/** The page about `?at=`: which GETs have a past, and why the others have none. */
export async function momentsDoc(): Promise<string> {
  const cleanups: (() => void | Promise<void>)[] = [];
  // Also outside a test, for `npm run docs`.
  const stage = await startManagement({}, (cleanup) => cleanups.unshift(cleanup));
  const { endpoints } = endpointsOf(stage.management);
  for (const cleanup of cleanups) await cleanup();
  const reads = endpoints.filter(({ at }) => at !== undefined).sort((a, b) => (a.path < b.path ? -1 : 1));
  const past = reads.filter(({ at }) => at === 'past');
  const none = reads.filter(({ at }) => at !== 'past');
  return [
    HEAD,
    '## With a past\n',
    table(
      ['GET', 'What it returns'],
      past.map((each) => [code(each.path), each.summary]),
    ),
    '',
    '## Without a past\n',
    table(
      ['GET', 'Why'],
      none.map((each) => [code(each.path), reasonOf(each)]),
    ),
    '',
  ].join('\n');
}

const reasonOf = ({ at }: PlacedEndpoint): string => (typeof at === 'object' ? at.none : '');
