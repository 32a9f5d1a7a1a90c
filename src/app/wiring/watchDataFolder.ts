import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { inodeOf, LOCK_FILE } from '../../dataFolder/folderLock.ts';
import { LOG_REFUSES_EVENTS } from '../../eventLog/reportRejectedAppends.ts';
import type { Faults } from '../../lib/faults.ts';

export interface WatchDataFolderOptions {
  readonly folder: DataFolder;
  /** Files that svc has open and cannot do without. They exist. */
  readonly files: readonly string[];
  readonly faults: Faults;
  readonly intervalMs?: number;
}

export interface DataFolderWatch {
  /** Why nothing may be written: a file is missing or was cut. Undefined while all of them are in place. */
  readonly refusal: string | undefined;
  stop(): void;
}

const INTERVAL_MS = 1_000;
const NODE_FILE_REPLACED = 'node_file_replaced';
/** How long the status shows that a file was written again. */
const SHOWN_MS = 600_000;

/**
 * Looks every second whether the files of the folder are still those that this process has open. A lock file that was deleted
 * is created and locked again at once, and the files with the node's name are written again; a deleted log is a fault, because what svc writes to it now ends with the process. So is one
 * that became smaller, until svc is restarted: pages are lost, also if it grows again. Write-ahead logs are watched by the threads that write them.
 */
export function watchDataFolder({
  folder,
  files,
  faults,
  intervalMs = INTERVAL_MS,
}: WatchDataFolderOptions): DataFolderWatch {
  const opened = files.map((path) => ({ path, inode: inodeOf(path), bytes: bytesOf(path), isCut: false }));

  /** Why nothing may be written. */
  let refusal: string | undefined;

  function check(): void {
    renewLock();
    keepNode();
    refusal = undefined;
    for (const file of opened) {
      const { path, inode } = file;
      const subject = basename(path);
      if (inodeOf(path) === inode) {
        faults.clear('data_file_missing', subject);
        compareSize(file);
      } else {
        refusal ??= `${path} was deleted, moved or replaced`;
        faults.raise({ code: 'data_file_missing', subject, ...missingFile(path) });
      }
      if (!file.isCut) continue;
      refusal ??= `${path} was cut`;
      // The writer of the log may have found it first.
      if (faults.has(LOG_REFUSES_EVENTS, path)) continue;
      faults.raise({ code: 'data_file_cut', subject, ...cutFile(path) });
    }
  }

  /** SQLite makes these files smaller only by a VACUUM, which svc does while it is stopped. */
  function compareSize(file: (typeof opened)[number]): void {
    const bytes = bytesOf(file.path);
    file.isCut ||= bytes < file.bytes;
    file.bytes = bytes;
  }

  function renewLock(): void {
    try {
      folder.renewLock();
      faults.clear('lock_file_replaced');
    } catch (error) {
      faults.raise({
        code: 'lock_file_replaced',
        cause:
          `${folder.file(LOCK_FILE)} was deleted or replaced while svc runs, and cannot be locked again: ` +
          `${(error as Error).message}`,
        remedy: 'Stop the other process, if there is one; svc tries again every second.',
      });
    }
  }

  function keepNode(): void {
    try {
      for (const path of folder.keepNode()) {
        faults.raise(
          { code: NODE_FILE_REPLACED, subject: basename(path), ...rewrittenFile(path) },
          { level: 'warn', overAfterMs: SHOWN_MS },
        );
      }
    } catch (error) {
      faults.raise({
        code: NODE_FILE_REPLACED,
        cause: `${(error as Error).message.replace(/\.$/, '')}.`,
        remedy: `svc goes on as the node ${folder.node} and tries again every second; a start without the file takes another name.`,
      });
      return;
    }
    faults.clear(NODE_FILE_REPLACED);
  }

  const timer = setInterval(check, intervalMs).unref();
  return {
    get refusal() {
      return refusal;
    },
    stop: () => clearInterval(timer),
  };
}

const missingFile = (path: string) => ({
  cause: `${path} was deleted, moved or replaced while svc runs: what svc wrote since is lost when it stops. Model requests and changes get 503 log_unavailable.`,
  remedy: 'Put the file back if it was moved. Otherwise stop svc and restore the data folder from a backup.',
});

const rewrittenFile = (path: string) => ({
  cause: `${path} was deleted or changed while svc runs, and was written again.`,
  remedy: 'You need not do anything. To give the node another name, set SVC_NODE_ID.',
});

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const cutFile = (path: string) => ({
  cause: `${path} was cut while svc runs, so a part of what it had is lost. Model requests and changes get 503 log_unavailable.`,
  remedy: 'Stop svc and restore the data folder from a backup.',
});
