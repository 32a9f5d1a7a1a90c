import type { Filter } from 'mongodb';
import type { RequestLogPage } from '../requestLogQueries.ts';
import { type RequestDocument, requestLogRow } from './documents.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { type RequestSelection, rowFilters } from './requestSelection.ts';

/** Ids are hexadecimal after their prefix. Most ids contain any shorter text. */
const HEX_FRAGMENT = /^[0-9a-f]{4,}$/i;

/**
 * Requests whose id or error message contains the text, latest first. A prefix of an id is a range of the id index, another
 * part a scan of it; messages are found by a scan of those of failed requests. Ids are in lower case.
 * @returns undefined when every id begins with the text, which then is no condition
 */
export async function searchRequests(
  view: ReadView,
  selection: RequestSelection,
  search: string,
  limit: number,
  offset: number,
): Promise<RequestLogPage | undefined> {
  const { requests } = view.collections;
  const id = search.toLowerCase();
  if (await isPrefixOfAllIds(view, id)) return undefined;
  // Each branch repeats all conditions, so that it can use its own index.
  const either: Filter<RequestDocument> = {
    $or: rowFilters(selection).flatMap((conditions): Filter<RequestDocument>[] => [
      { requestId: HEX_FRAGMENT.test(search) ? { $regex: id } : { $gte: id, $lt: prefixEnd(id) }, ...conditions },
      { errorMessage: { $regex: escapeRegExp(search), $options: 'i' }, ...conditions },
    ]),
  };
  const [total, documents] = await Promise.all([
    requests.countDocuments(either, READ_OPTIONS),
    requests.find(either, { ...READ_OPTIONS, sort: { requestedAt: -1, _id: -1 }, skip: offset, limit }).toArray(),
  ]);
  return { rows: documents.map((document) => requestLogRow(document as RequestDocument)), total };
}

/** Checks the first and the last id: if both begin with the text, all do. */
async function isPrefixOfAllIds({ collections }: ReadView, text: string): Promise<boolean> {
  const end = async (direction: 1 | -1) => {
    const options = {
      ...READ_OPTIONS,
      hint: 'byRequestId',
      projection: { _id: 0, requestId: 1 },
      sort: { requestId: direction },
    };
    return (await collections.requests.findOne({}, options))?.requestId;
  };
  const [first, last] = await Promise.all([end(1), end(-1)]);
  return (first?.startsWith(text) ?? true) && (last?.startsWith(text) ?? true);
}

/** Exclusive end of the range of texts that begin with this one. */
const prefixEnd = (text: string) => `${text}\u{10FFFF}`;

/** Escapes a text for a regular expression. */
export const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
