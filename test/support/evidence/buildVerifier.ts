// `npm run build:verifier` writes src/evidence/page/verify.html: the page in which an auditor verifies a bundle, one file without
// anything from elsewhere. It is kept with the sources, so that no command needs a build; a test compares it with its sources.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const browser = new URL('../../../src/evidence/page/browser/', import.meta.url);
export const builtPage = new URL('../../../src/evidence/page/verify.html', import.meta.url);

const read = (name: string): string => readFileSync(new URL(name, browser), 'utf8');
const pathOf = (name: string): string => fileURLToPath(new URL(name, browser));
const cspHash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** Builds the page; the same sources and packages give the same bytes. */
export async function buildVerifier(): Promise<string> {
  const script = await bundle();
  const style = read('page.css');
  const parts: Record<string, string> = {
    SCRIPT: script,
    STYLE: style,
    SCRIPT_HASH: cspHash(script),
    STYLE_HASH: cspHash(style),
  };
  return read('page.html').replace(/\/\*([A-Z]+)\*\/|%([A-Z_]+)%/g, (_, text, hash) => parts[text ?? hash] as string);
}

/** All modules as one script that can be read: not minified. */
async function bundle(): Promise<string> {
  const build = await rolldown({
    input: pathOf('main.ts'),
    platform: 'browser',
    resolve: { alias: { 'node:crypto': pathOf('shims/nodeCrypto.ts') } },
    transform: { inject: { Buffer: [pathOf('shims/buffer.ts'), 'Buffer'] } },
    treeshake: true,
  });
  try {
    const { output } = await build.generate({ format: 'esm', minify: false, comments: true, codeSplitting: false });
    const [chunk, ...more] = output;
    if (more.length > 0 || chunk.imports.length > 0) throw new Error('The page must be one script.');
    // What ends a script would end it within HTML, too.
    const code = chunk.code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
    return `\n${code}`;
  } finally {
    await build.close();
  }
}

if (import.meta.main) {
  const page = await buildVerifier();
  writeFileSync(builtPage, page);
  const digest = createHash('sha256').update(page).digest('hex');
  process.stdout.write(`${fileURLToPath(builtPage)}: ${page.length} characters, SHA-256 ${digest}\n`);
}
