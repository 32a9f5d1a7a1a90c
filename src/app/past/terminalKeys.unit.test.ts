import { expect, test } from 'vitest';
import { keysIn } from './terminalKeys.ts';

test.each([
  ['a character each', 'np q', ['n', 'p', ' ', 'q']],
  ['arrows in both modes of a terminal', '\u001b[C\u001bOD', ['\u001b[C', '\u001bOD']],
  ['an arrow with a modifier', '\u001b[1;5Cn', ['\u001b[1;5C', 'n']],
  ['keys whose sequence is longer', '\u001b[3~\u001b[H\u001bOP', ['\u001b[3~', '\u001b[H', '\u001bOP']],
  ['Escape itself', '\u001b', ['\u001b']],
  ['a control character and a line feed', '\u0003\n', ['\u0003', '\n']],
])('reads %s', (_what, text, keys) => expect(keysIn(text)).toEqual(keys));
