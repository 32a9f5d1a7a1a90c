import type { Filter } from 'mongodb';
import type { RequestLogPage } from '../requestLogQueries.ts';
import { type RequestDocument, requestLogRow } from './documents.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { type RequestSelection, rowFilter } from './requestSelection.ts';

/** Ids are hexadecimal behind their first letters; shorter parts are in most of them somewhere. */
const HEX_FRAGMENT = /^[0-9a-f]{4,}$/i;

/**
 * Requests whose id or error message holds the text, the latest first: beginnings of ids are a range of their index, other
 * parts a walk along it, and messages a walk along those of failed requests. We make ids in lower case.
 * @returns undefined when every id begins with the text, so that it is no condition at all
 */
export async function searchRequests(
  reach: ReadView,
  wanted: RequestSelection,
  search: string,
  limit: number,
  offset: number,
): Promise<RequestLogPage | undefined> {
  const { requests } = reach.collections;
  const id = search.toLowerCase();
  if (await isPrefixOfAllIds(reach, id)) return undefined;
  const conditions = rowFilter(wanted);
  // Each branch is whole, so that each finds its own index.
  const either: Filter<RequestDocument> = {
    $or: [
      { requestId: HEX_FRAGMENT.test(search) ? { $regex: id } : { $gte: id, $lt: prefixEnd(id) }, ...conditions },
      { errorMessage: { $regex: escapeRegExp(search), $options: 'i' }, ...conditions },
    ],
  };
  const [total, documents] = await Promise.all([
    requests.countDocuments(either, READ_OPTIONS),
    requests.find(either, { ...READ_OPTIONS, sort: { requestedAt: -1, _id: -1 }, skip: offset, limit }).toArray(),
  ]);
  return { rows: documents.map((document) => requestLogRow(document as RequestDocument)), total };
}

/** The first and the last of all ids tell of those between. */
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

/** The first text behind all that begin with this one. */
const prefixEnd = (text: string) => `${text}\u{10FFFF}`;

/** A regular expression that means just this text. */
export const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
