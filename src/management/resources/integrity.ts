import { z } from 'zod';
import type { Verification } from '../../domain/audit/state.ts';
import { instant, iso } from '../../domain/core/brands.ts';
import type { PublishingTarget, StoredCheckpoint } from '../../integrity/checkpoints/checkpoints.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { available, type Integrity } from '../http/integrity.ts';
import { READERS } from '../http/roles.ts';

const root = z.string().describe('SHA-256 in 64 hexadecimal digits');

const IntegrityStatus = z
  .object({
    tree_size: z.int().describe('Number of leaves: the position of the last event in the tree'),
    root,
    public_key: z
      .string()
      .nullable()
      .describe('Verifier key as in c2sp.org/signed-note, whose name is the origin; null before the first event'),
    origin: z.string().nullable().describe('Identifies the log in its checkpoints; null before the first event'),
    checkpoint: z
      .object({
        size: z.int().describe('The position of the last event that it covers'),
        root,
        signed_at: z.iso.datetime(),
        note: z.string().describe('Signed note as in c2sp.org/tlog-checkpoint, with the cosignatures so far'),
      })
      .nullable()
      .describe('The newest one; null before the first'),
    publishing: z.array(
      z.object({
        kind: z.enum(['folder', 'http', 'witness']),
        target: z.string().describe('Path, or URL without secrets'),
        size: z.int().describe('Size of the newest checkpoint that it has taken; 0 before the first'),
        published_at: z.iso.datetime().nullable(),
        failure: z.string().nullable().describe('What the last attempt failed with'),
      }),
    ),
    refusal: z.string().nullable().describe('Why this node signs no checkpoints at present'),
    verification: z
      .object({
        at: z.iso.datetime(),
        ok: z.boolean(),
        events: z.int().describe('Number of events that were read'),
        findings: z.int(),
      })
      .nullable()
      .describe('The last one that a running service made; null before the first'),
  })
  .meta({ id: 'Integrity' });

const routes = {
  get: describeRoute({
    roles: READERS,
    at: {
      none: 'it shows the files of checkpoints and tiles of this node and where they were published; GET /api/receipts proves any event',
    },
    summary: 'Get the root of the tree over all events, its last checkpoint, and where checkpoints are published',
    response: IntegrityStatus,
    errors: ['proof_unavailable'],
  }),
};

/** What the log proves at present (docs/integrity.md). */
export const integrityRoutes = ({
  views,
  integrity: { tree, checkpoints },
}: Pick<Capabilities, 'views'> & { readonly integrity: Integrity }) =>
  newRouter('/api/integrity')
    .get('/', routes.get, async (): Promise<z.infer<typeof IntegrityStatus>> => {
      const { size, root } = await available(tree.root());
      return {
        tree_size: size,
        root: root.toString('hex'),
        public_key: checkpoints.vkey ?? null,
        origin: checkpoints.origin ?? null,
        checkpoint: checkpoint(checkpoints.latest()),
        publishing: checkpoints.targets.map(target),
        refusal: checkpoints.refusal ?? null,
        verification: verification(views.current.audit.verification),
      };
    })
    .routes();

const time = (ms: number): string => iso(instant(ms));

const checkpoint = (stored: StoredCheckpoint | undefined) =>
  stored ? { size: stored.size, root: stored.root, signed_at: time(stored.signedAt), note: stored.note } : null;

const target = ({ publishedAt, ...rest }: PublishingTarget) => ({
  ...rest,
  published_at: publishedAt === null ? null : time(publishedAt),
});

const verification = (made: Verification | null) =>
  made && { at: iso(made.at), ok: made.ok, events: made.events, findings: made.findings };
