import type { Command } from './command.ts';

/** Where descriptions begin, and where lines end. */
const INDENT = 26;
const WIDTH = 120;

/** The usage of svc, or of one command. */
export function usageOf(commands: readonly Command[]): string {
  const [only, ...others] = commands;
  const title = only && others.length === 0 ? `svc ${only.name}` : 'svc <command>';
  const lines = commands.flatMap(({ usage }) => usage.flatMap(([call, description]) => describe(call, description)));
  return `Usage: ${title}\n\n${lines.join('\n')}\n`;
}

function describe(call: string, description: string): string[] {
  const [first = '', ...others] = wrap(description, WIDTH - INDENT);
  const rest = others.map((line) => `${' '.repeat(INDENT)}${line}`);
  const head = `  ${call}`;
  return head.length < INDENT
    ? [`${head.padEnd(INDENT)}${first}`, ...rest]
    : [head, `${' '.repeat(INDENT)}${first}`, ...rest];
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
