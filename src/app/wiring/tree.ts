import { damageIn } from '../../dataFolder/openDatabase.ts';
import { logBroken } from '../../eventLog/continuity.ts';
import { type KeptTree, keepTree } from '../../integrity/tree/keepTree.ts';
import { TREE_FILE } from '../../integrity/tree/treeFile.ts';
import type { RemakeReason } from '../../integrity/tree/treeFollower.ts';
import type { Foundation } from './foundation.ts';

const REMADE = 'tree_remade';
const BEHIND = 'tree_behind';

const REASONS: Readonly<Record<RemakeReason, string>> = {
  damaged: 'is damaged',
  'another log': 'is the tree of another log',
  'altered log': 'was made of other events than the event log has: one of the last was changed',
  deleted: 'was deleted or replaced while svc runs',
};

/** Opens the tree over the log, which follows it once it is started. */
export function openTree({ folder, store, hot, faults, report }: Foundation): KeptTree {
  const path = folder.file(TREE_FILE);
  const tree = keepTree({
    folder: folder.path,
    logPath: store.logPath,
    onBreak: (found) => faults.raise(logBroken(store.logPath, found)),
    onRemake: (reason) =>
      faults.raise({
        code: REMADE,
        cause: `${path} ${REASONS[reason]}. It is made again from the event log; checkpoints and receipts wait until then.`,
        remedy:
          reason === 'altered log'
            ? 'Run "svc verify" to see which event is not what its hash says, and restore the log from a backup.'
            : 'You need not do anything. If it happens again, check the disk.',
      }),
    onCaughtUp(_size, failure) {
      if (failure === undefined) {
        faults.clear(REMADE, undefined, `${path} is complete again.`);
        faults.clear(BEHIND, undefined, 'The tree over the event log is complete again.');
        return;
      }
      const error = new Error(failure);
      if (damageIn(error)) report(error);
      else
        faults.raise({
          code: BEHIND,
          cause: `The tree over the event log does not grow, and no checkpoint covers new events: ${failure.replace(/\.$/, '')}.`,
          remedy: 'Model requests are not affected. svc tries again by itself.',
        });
    },
  });
  hot.onFolded(({ position }) => tree.notify(position));
  tree.notify(hot.state.position);
  return tree;
}
