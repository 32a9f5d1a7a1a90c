import { type ErrorEntry, errors } from '../../../src/http/errors/errors.ts';
import { code, table } from './markdown.ts';

/** Renders `docs/errors.md` from the catalogue of errors. */
export const errorsDoc = (): string => `# Errors

<!-- Generated from src/http/errors/errors.ts by \`npm run docs\`. Do not edit. -->

Every error has a code. Match on the code, which is stable; the message may change.

The proxy (\`/v1/*\`, \`/backend-api/*\`) responds with

    {"error": {"message": "...", "type": "...", "code": "..."}}

and adds \`param\` (the invalid field, in dot notation), \`plan_type\`, \`resets_at\` (Unix seconds) and \`resets_in_seconds\`
where they are known. Management (\`/api/*\`) responds with

    {"error": {"code": "...", "message": "..."}}

${table(['Code', 'Status', 'Type (proxy)', 'Message'], Object.entries(errors).map(row))}

- \`{...}\` is replaced by the value. A message marked with * is replaced by the exact problem when it is known.
- \`validation_error\` is 422 in the proxy and 400 in management, where the message names the field.
- The provider's errors about the request itself are passed on with their status, code and message. Its other failures
  become \`upstream_error\`, or a more specific code: \`stream_incomplete\` (the response ended early), \`stream_idle_timeout\`
  (the provider stopped sending), \`stream_event_too_large\`, \`outgoing_proxy_failed\` (svc reaches the provider through a proxy,
  which failed). A limit of the provider is \`rate_limit_exceeded\`; its type is
  \`usage_limit_reached\` if the provider sent that type.
- \`upstream_error\` is 502, or 503 if no account responds.
- An error after the first byte of a stream cannot change the status: the stream ends with \`response.failed\`, which contains
  the same message, type and code.
- \`rate_limit_exceeded\` inside a stream that has begun: a limit of the key that stops streams was reached.

The request log contains two codes that no client receives: \`client_disconnected\` and \`abandoned\` (the process died during the
request; written at the next start).
`;

const row = ([name, entry]: [string, ErrorEntry]): string[] => [
  code(entry.wireCode ?? name),
  String(entry.status),
  code(entry.type),
  messageIn(entry),
];

function messageIn({ message }: ErrorEntry): string {
  if (typeof message === 'string') return message;
  const isReplaced = message({ problem: 'Exactly this' }).includes('xactly this');
  return `${message(placeholders)}${isReplaced ? ' *' : ''}`;
}

/** Details in which every field has its own name as value; `problem` would replace the message. */
const placeholders: Readonly<Record<string, unknown>> = new Proxy(
  {},
  { get: (_, name) => (name === 'problem' || name === 'param' ? undefined : `{${String(name)}}`) },
);
