import { type Role, roles } from '../../../src/domain/operator/role.ts';

interface Operation {
  readonly 'x-svc-roles'?: readonly Role[];
}

/** Renders `dashboard/src/lib/api/operationRoles.ts` from the OpenAPI document of a service. */
export function operationRoles(document: unknown): string {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const lines = Object.entries(paths)
    // What is below dashboard-auth checks by itself who is signed in.
    .filter(([path]) => path.startsWith('/api/') && !path.startsWith('/api/dashboard-auth/'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { 'x-svc-roles': admitted }]) => {
        if (!admitted) return [];
        const names = roles.filter((role) => admitted.includes(role)).map((role) => `'${role}'`);
        return `  '${method.toUpperCase()} ${path}': [${names.join(', ')}],`;
      }),
    );
  return `// Generated from the OpenAPI document by "npm run docs". Do not edit.

/** Who may use which operation: its \`x-svc-roles\`. */
export const operationRoles = {
${lines.join('\n')}
} as const;
`;
}
