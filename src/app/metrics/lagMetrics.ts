import { position } from '../../domain/core/brands.ts';
import type { Checkpoints } from '../../integrity/checkpoints/checkpoints.ts';
import type { Tree } from '../../integrity/tree/tree.ts';
import { gauge, type Metric, type Sample, single } from '../../lib/metrics/metric.ts';
import type { ProgressQueries } from '../../readModels/progressQueries.ts';

/** Something that follows the log, and how far it is behind. */
export interface Follower {
  /** A name of svc's own, without addresses. */
  readonly name: string;
  /** The position of the last event that it has taken; undefined while that is unknown. */
  reached(): Promise<number | undefined> | number | undefined;
}

export interface LagMetricsOptions {
  /** The position of the last event that this node knows. */
  readonly head: () => number;
  readonly progress: ProgressQueries;
  readonly tree: Pick<Tree, 'size'>;
  readonly checkpoints: Pick<Checkpoints, 'latest' | 'targets'>;
  /** Read at each scrape, so that sinks may come and go. */
  readonly sinks: () => readonly Follower[];
}

/** How far what is derived from the log is behind it. */
export function lagMetrics({ head, progress, tree, checkpoints, sinks }: LagMetricsOptions): readonly Metric[] {
  const projections: readonly Follower[] = [
    { name: 'read_models', reached: () => progress.reached(position(0)) },
    { name: 'tree', reached: () => tree.size },
  ];
  const lagOf = async (label: string, followers: readonly Follower[]): Promise<Sample[]> => {
    const samples = followers.map(async ({ name, reached }): Promise<Sample[]> => {
      const at = await Promise.resolve(reached()).catch(() => undefined);
      return at === undefined ? [] : [{ labels: { [label]: name }, value: Math.max(0, head() - at) }];
    });
    return (await Promise.all(samples)).flat();
  };
  return [
    gauge('svc_log_position', 'Position of the last event that this node knows.', [], () => single(head())),
    gauge(
      'svc_projection_lag_events',
      'Events that a projection does not include yet; absent while it is unavailable.',
      ['projection'],
      () => lagOf('projection', projections),
    ),
    gauge('svc_checkpoint_lag_events', 'Events after the last signed checkpoint.', [], () => {
      const latest = checkpoints.latest();
      return single(latest && Math.max(0, head() - latest.size));
    }),
    gauge(
      'svc_checkpoint_target_lag_events',
      'Events after the last checkpoint that a place of publication has taken.',
      ['target'],
      () =>
        checkpoints.targets.map(({ kind, size }) => ({ labels: { target: kind }, value: Math.max(0, head() - size) })),
    ),
    gauge('svc_sink_lag_events', 'Events that a sink has not taken yet.', ['sink'], () => lagOf('sink', sinks())),
  ];
}
