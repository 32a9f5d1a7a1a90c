import { z } from 'zod';
import { VerificationMade } from '../../domain/audit/events.ts';
import { position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { Verification } from '../../verification/finding.ts';
import type { VerifyOwnLog } from '../../verification/verifyOwnLog.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { JobEntry, type Jobs, START_ERRORS, startJob } from '../http/jobs.ts';
import { EXAMINERS } from '../http/roles.ts';

const Part = wireObject({
  from: z.int().min(1).optional().describe('Position of the first event; default: the first one of the log'),
  to: z.int().min(1).optional().describe('Position of the last event; default: the last one of the log'),
});

const routes = {
  start: describeRoute({
    roles: EXAMINERS,
    summary:
      'Verify the log, or a part of it, as `svc verify` does, at low priority; the result of the job has `ok`, `events`, `root`, `findings` and `notes`',
    body: Part,
    status: 202,
    response: JobEntry,
    errors: ['validation_error', ...START_ERRORS],
  }),
};

/** Records that the log was verified. Durable when it resolves. */
export type RecordVerification = (event: ReturnType<typeof VerificationMade>, cause: Cause) => Promise<void>;

export interface VerificationRoutesOptions extends Pick<Capabilities, 'views' | 'vault' | 'directory'> {
  readonly jobs: Jobs;
  readonly verifyLog: VerifyOwnLog;
  readonly recordVerification: RecordVerification;
  readonly node: { readonly name: string };
}

/** Verifications of the log through this service (docs/integrity.md#verify). */
export const verificationRoutes = (options: VerificationRoutesOptions) =>
  newRouter('/api/integrity/verify')
    .post('/', routes.start, async (ctx) => {
      const { views, verifyLog, recordVerification, node } = options;
      const { from, to } = await readBody(ctx, Part, 'validation_error');
      if (from !== undefined && to !== undefined && from > to)
        refuse('validation_error', { param: 'to', problem: 'must not be below from' });
      const { cause } = ctx.state;
      return startJob(ctx, options, {
        kind: 'verify',
        async run(control) {
          const head = views.current.position;
          const result = await verifyLog({ from, to }, control);
          const { ok, events, root, findings, notes } = result;
          await recordVerification(
            VerificationMade({
              node: node.name,
              from: position(from ?? 1),
              to: position(to ?? Math.max(head, (from ?? 1) - 1 + events)),
              events,
              ok,
              findings: findings.length,
              kinds: kindsOf(result),
              root,
            }),
            cause,
          );
          return { ok, events, root, findings, notes };
        },
      });
    })
    .routes();

const kindsOf = ({ findings }: Verification): string[] => [...new Set(findings.map(({ kind }) => kind))];
