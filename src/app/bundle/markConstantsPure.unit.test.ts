import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { markConstantsPure } from './markConstantsPure.ts';

/** The bundle of a module, of which another one imports `shown`. */
async function bundled(code: string): Promise<string> {
  const modules: Record<string, string> = {
    entry: "import { shown } from 'module.ts'; console.log(shown)",
    'module.ts': code,
  };
  const build = await rolldown({
    input: 'entry',
    plugins: [
      { name: 'modules', resolveId: (id) => (id in modules ? id : undefined), load: (id) => modules[id] ?? null },
    ],
  });
  const { output } = await build.generate();
  await build.close();
  return output[0].code;
}

const MODULE = `
  const schema = describe('schema').optional();
  const [first] = describe('list');
  export const routes = { list: describe(schema) }, other: string = describe('other');
  const used = describe('used');
  export const shown = (): unknown => used;
  let counter = describe('counter');
`;

test('leaves out the constants that nothing uses, and keeps the others', async () => {
  expect(await bundled(MODULE)).toContain('describe("schema")');
  const code = await bundled(markConstantsPure(MODULE));
  for (const kept of ['used', 'counter']) expect(code).toContain(`describe("${kept}")`);
  for (const unused of ['schema', 'list', 'other']) expect(code).not.toContain(`describe("${unused}")`);
});
