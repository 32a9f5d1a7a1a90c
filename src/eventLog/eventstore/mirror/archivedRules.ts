import { withArchive } from '../../archive/withArchive.ts';
import type { RulesOfStream } from './streamRules.ts';

/** The rules of streams without what svc itself has set: that archived events are truncated. */
export function withoutArchived(archivePath: string, streams: readonly RulesOfStream[]): readonly RulesOfStream[] {
  if (!streams.some(({ stream, rules }) => isTruncated(stream, rules))) return streams;
  const archived = withArchive(archivePath, (archive) => {
    const revisions = new Map<string, number>();
    for (const { header } of archive.segments()) {
      for (const [stream, , revision] of header.streams)
        revisions.set(stream, Math.max(revision, revisions.get(stream) ?? -1));
    }
    return revisions;
  });
  if (!archived) return streams;
  return streams.map((each) => {
    const { truncateBefore, ...rules } = each.rules;
    const isOwn =
      isTruncated(each.stream, each.rules) && (truncateBefore ?? 0) <= (archived.get(each.stream) ?? -1) + 1;
    return isOwn ? { stream: each.stream, rules } : each;
  });
}

const isTruncated = (stream: string, { truncateBefore }: RulesOfStream['rules']): boolean =>
  truncateBefore !== undefined && stream.startsWith('requests-');
