import { expect, test } from 'vitest';
import { commandsIn } from './commandsIn.ts';

const textsIn = (page: string) => commandsIn(page).map(({ text }) => text);

test('finds commands in indented and fenced blocks, and nothing in prose', () =>
  expect(textsIn('curl -s x is prose\n\n    curl -s x\n\n```\nnpm run svc -- doctor\n```\n\nsvc verify\n')).toEqual([
    'curl -s x',
    'npm run svc -- doctor',
  ]));

test('joins what goes on in the next line, and leaves out remarks', () =>
  expect(
    textsIn('    curl -s x -d \'{\n      "a": 1 }\'\n    curl y \\\n      -b z\n    svc verify      # the log\n'),
  ).toEqual(['curl -s x -d \'{ "a": 1 }\'', 'curl y -b z', 'svc verify']));

test('knows settings before a command', () =>
  expect(textsIn('    SVC_DATA_DIR=/a KEY="$(cat b)" npm run svc -- import c\n    SVC_PUBLIC_URL=https://a\n')).toEqual(
    ['SVC_DATA_DIR=/a KEY="$(cat b)" npm run svc -- import c'],
  ));
