import { parseAst } from 'rolldown/parseAst';

/**
 * Marks the constants of a module as pure, so that a bundle leaves out those that none of its commands uses: the schemas and
 * descriptions of routes beside the functions that show a resource. Making them takes longer than to show one.
 * @param code TypeScript whose constants are made without side effects
 */
export function markConstantsPure(code: string): string {
  const edits: [at: number, text: string][] = [];
  for (const statement of parseAst(code, { lang: 'ts' }).body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue;
    for (const { init } of declaration.declarations) {
      if (!init || init.type === 'ArrowFunctionExpression' || init.type === 'Literal') continue;
      edits.push([init.start, '/* @__PURE__ */ (() => ('], [init.end, '))()']);
    }
  }
  return edits.reduceRight((text, [at, added]) => text.slice(0, at) + added + text.slice(at), code);
}
