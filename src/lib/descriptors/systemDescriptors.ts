import { readdirSync, readFileSync, statSync } from 'node:fs';

const LIMITS = '/proc/self/limits';
const SOFT_LIMIT = /^Max open files +(\d+)/m;
/** The open files of this process: Linux, and most other systems. */
const FOLDERS = ['/proc/self/fd', '/dev/fd'];

/**
 * @returns how many file descriptors this process may have open; undefined if there is no limit, or none can be read. Node raises
 * the soft limit to the hard one at its start, and an operator can change it while the process runs
 */
export function readDescriptorLimit(): number | undefined {
  try {
    const limit = SOFT_LIMIT.exec(readFileSync(LIMITS, 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? limitOfReport() : undefined;
  }
}

/** Systems without /proc. */
function limitOfReport(): number | undefined {
  const { report } = process;
  // It would look up the names of the addresses of open connections.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : undefined;
}

export interface DescriptorCount {
  /** Infinite if not even one is left to count them. */
  readonly open: number;
  /** It cost microseconds, however many there are. Otherwise all of them were listed. */
  readonly isCheap: boolean;
}

/** Counts the open file descriptors of this process. @returns undefined where they cannot be counted */
export function countDescriptors(): DescriptorCount | undefined {
  const open = sizeOfFolder();
  if (open > 0) return { open, isCheap: true };
  for (const folder of FOLDERS) {
    try {
      // The listing itself needs one.
      return { open: readdirSync(folder).length - 1, isCheap: false };
    } catch (error) {
      if (descriptorErrnoIn(error)) return { open: Number.POSITIVE_INFINITY, isCheap: false };
    }
  }
  return undefined;
}

/** Since Linux 6.2 the size of the folder is the number of its entries; before and elsewhere it is 0 or means something else. */
const sizeOfFolder = (): number =>
  process.platform === 'linux' ? (statSync('/proc/self/fd', { throwIfNoEntry: false })?.size ?? 0) : 0;

/** Whether the system has refused a file descriptor: to this process (`EMFILE`), or to all of the machine (`ENFILE`). */
export const isDescriptorErrno = (code: unknown): code is 'EMFILE' | 'ENFILE' => code === 'EMFILE' || code === 'ENFILE';

/** @returns `EMFILE` or `ENFILE` if an error means that, undefined for any other */
export function descriptorErrnoIn(error: unknown): 'EMFILE' | 'ENFILE' | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return isDescriptorErrno(code) ? code : undefined;
}
