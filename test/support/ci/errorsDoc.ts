import { type ErrorEntry, errors } from '../../../src/http/errors/errors.ts';
import { code, table } from './markdown.ts';

/** `docs/errors.md`, from the catalogue of errors. */
export const errorsDoc = (): string => `# Errors

<!-- Generated from src/http/errors/errors.ts by \`npm run docs\`. Do not edit. -->

Every failure has a code. The code is stable, the wording is not: match on the code.

The proxy (\`/v1/*\`, \`/backend-api/*\`) answers

    {"error": {"message": "...", "type": "...", "code": "..."}}

and adds \`param\` (the field at fault, in dot notation), \`plan_type\`, \`resets_at\` (Unix seconds) and \`resets_in_seconds\`
where it knows them. Management (\`/api/*\`) answers

    {"error": {"code": "...", "message": "..."}}

${table(['Code', 'Status', 'Type (proxy)', 'Message'], Object.entries(errors).map(row))}

- What stands in \`{...}\` is filled in. A message marked with * is replaced by the exact problem when one is known.
- \`validation_error\` is 422 on the proxy and 400 on management, where the message names the field.
- What the provider says about the request itself is passed on with its own status, code and message. Its other failures
  become \`upstream_error\`, or a code that says more: \`stream_incomplete\` (its answer ended early), \`stream_idle_timeout\`
  (it fell silent), \`stream_event_too_large\`. A limit of the provider is \`rate_limit_exceeded\`; its type is
  \`usage_limit_reached\` when the provider said so.
- \`upstream_error\` is 502, and 503 when no account answers at the moment.
- A failure after the first byte of a stream cannot change the status any more: the stream ends with \`response.failed\`, which
  carries the same message, type and code.

The request log knows two codes that no client gets: \`client_disconnected\` (the client hung up) and \`abandoned\` (the service
was stopped hard while the request was under way; written at the next start).
`;

const row = ([name, entry]: [string, ErrorEntry]): string[] => [
  code(entry.wireCode ?? name),
  String(entry.status),
  code(entry.type),
  wording(entry),
];

function wording({ message }: ErrorEntry): string {
  if (typeof message === 'string') return message;
  const isReplaced = message({ problem: 'Exactly this' }).includes('xactly this');
  return `${message(placeholders)}${isReplaced ? ' *' : ''}`;
}

/** Details in which every field is there, under its own name; `problem` would replace the message. */
const placeholders: Readonly<Record<string, unknown>> = new Proxy(
  {},
  { get: (_, name) => (name === 'problem' || name === 'param' ? undefined : `{${String(name)}}`) },
);
