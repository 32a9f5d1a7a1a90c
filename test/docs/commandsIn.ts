/** A command line of the documentation. */
export interface DocumentedCommand {
  /** Its text on one line, without the remark behind it. */
  readonly text: string;
  readonly line: number;
}

/** Words that begin a command, after any settings of its environment. */
const BEGINS =
  /^(?:[A-Z_]+=(?:"[^"]*"|\S*) )*(?:npm (?:run|ci|start|test|install)\b|(?:npx )?svc [a-z]|curl |docker |systemctl )/;

/** The commands in blocks of code, indented or fenced, of a page. */
export function commandsIn(page: string): DocumentedCommand[] {
  const commands: DocumentedCommand[] = [];
  const lines = page.split('\n');
  let isFenced = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (!isFenced && !line.startsWith('    ')) continue;
    let text = line.trim();
    if (!BEGINS.test(text)) continue;
    const first = at + 1;
    // A quoted text, or a backslash, goes on in the next line.
    while (at + 1 < lines.length && (text.endsWith('\\') || text.split("'").length % 2 === 0)) {
      at += 1;
      text = `${text.replace(/\\$/, '').trimEnd()} ${(lines[at] as string).trim()}`;
    }
    commands.push({ text: text.replace(/ +# .*$/, ''), line: first });
  }
  return commands;
}
