import type { RequestLogRow } from '../../../../projections/requestLog.ts';
import type { ReadModelPorts } from '../../../readModels/readModels.ts';
import type { UpTo } from '../../../readModels/upTo.ts';

/** The search also finds messages that contain the id: a client can bring it there, as the name of a model. */
const PAGE = 50;

/** The row of a request; undefined when the request log has none. @param requestId all of it */
export async function findRequestRow(
  { requestLog }: Pick<ReadModelPorts, 'requestLog'>,
  requestId: string,
  upTo: UpTo,
): Promise<RequestLogRow | undefined> {
  for (let offset = 0; ; offset += PAGE) {
    const { rows } = await requestLog.page({ search: requestId }, PAGE, offset, upTo);
    const found = rows.find((row) => row.requestId === requestId);
    if (found || rows.length < PAGE) return found;
  }
}
