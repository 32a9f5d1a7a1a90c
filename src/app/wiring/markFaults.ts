import type { OnMarkFailure } from '../../eventLog/sqlite/logMark.ts';
import type { Faults } from '../../lib/faults.ts';

/** Reports that a mark cannot be written. The log itself is not affected. */
export const markFaults =
  (faults: Faults, path: string): OnMarkFailure =>
  (failure) => {
    if (failure === undefined) {
      faults.clear('high_water_mark_stale', path);
      return;
    }
    faults.raise({
      code: 'high_water_mark_stale',
      subject: path,
      cause: `${path} cannot be written (${failure}): events that are lost from now on would not be noticed at the next start.`,
      remedy: 'Check the disk and the permissions of the data folder; svc retries by itself.',
    });
  };
