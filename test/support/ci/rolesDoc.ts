import { type Role, roles } from '../../../src/domain/operator/role.ts';
import { code, table } from './markdown.ts';

interface Operation {
  readonly summary: string;
  readonly 'x-svc-roles'?: readonly Role[];
  readonly 'x-svc-irreversible'?: boolean;
}

/** Renders `docs/roles.md` from the OpenAPI document of a service. */
export function rolesDoc(document: unknown): string {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const rows = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const { 'x-svc-roles': admitted, 'x-svc-irreversible': isIrreversible, summary } = operation;
        if (!admitted) return [];
        const name = `${code(`${method.toUpperCase()} ${path}`)}${isIrreversible ? ' \\*' : ''}`;
        return [[name, ...roles.map((role) => (admitted.includes(role) ? 'yes' : '')), summary]];
      }),
    );
  return `# Roles

<!-- Generated from the routes of management by \`npm run docs\`. Do not edit. -->

Who may use which operation of management. A role that is not named gets 403 \`insufficient_permissions\`, before anything else of the
request is looked at. A management token needs both its own role and that of its owner. What a member may call but does not own is 404.
Operations below \`/api/dashboard-auth/\` check by themselves who is signed in.

An operation with \\* cannot be undone: once there are operators, a session must have signed in within 10 minutes, and a token needs the
scope \`irreversible\` ([0084](decisions/0084-what-cannot-be-undone.md)).

${table(['Operation', ...roles, 'What it does'], rows)}
`;
}
