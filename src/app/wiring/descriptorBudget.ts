import { DescriptorBudget } from '../../lib/descriptors/descriptorBudget.ts';
import { countDescriptors, readDescriptorLimit } from '../../lib/descriptors/systemDescriptors.ts';
import type { Faults } from '../../lib/faults.ts';

export const OUT_OF_DESCRIPTORS = 'out_of_file_descriptors';

const LASTS_MS = 5_000;
/** A refused request must not cost a timer. */
const RAISE_EVERY_MS = 500;

const REMEDY =
  'It ends by itself when connections close. To prevent it, raise the limit: `ulimit -n` before svc is started, LimitNOFILE= in its systemd unit, --ulimit nofile= of its container.';

/** Creates the budget of the file descriptors of this process. A shortage is a fault that is over 5 s after the last refusal. */
export function createDescriptorBudget(faults: Pick<Faults, 'raise'>): DescriptorBudget {
  let raisedAt = Number.NEGATIVE_INFINITY;
  const budget = new DescriptorBudget({
    readLimit: readDescriptorLimit,
    count: countDescriptors,
    onShortage(errno) {
      const now = performance.now();
      if (now - raisedAt < RAISE_EVERY_MS) return;
      raisedAt = now;
      const cause = errno === 'ENFILE' ? ofMachine : ofProcess(budget);
      faults.raise({ code: OUT_OF_DESCRIPTORS, cause, remedy: REMEDY }, { overAfterMs: LASTS_MS });
    },
  });
  return budget;
}

const ofMachine =
  'The machine is out of file descriptors (ENFILE, see fs.file-max): model requests get 503 out_of_file_descriptors. No account is at fault.';

const ofProcess = ({ limit, reserve }: DescriptorBudget): string =>
  `This process has used up its file descriptors${limit === undefined ? '' : ` (${limit}, of which ${reserve} are kept for files and management)`}: new model requests get 503 out_of_file_descriptors. No account is at fault.`;
