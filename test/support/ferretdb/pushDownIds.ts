// FerretDB looks a document up by its `_id` only where that is the whole filter. Read models replace sums by `_id` and position,
// and read rows by lists of `_id`: for each of them it would decode every document of the collection, half of its time in tests.
// Documents are filtered by the whole condition afterwards, as before.

const QUERY_OF_ID_ALONE = `	if params.Filter.Len() == 1 {
		v, _ := params.Filter.Get("_id")
		switch v.(type) {
		case string, types.ObjectID:
			whereClause = fmt.Sprintf(\` WHERE %s = ?\`, metadata.IDColumn)
			args = []any{string(must.NotFail(sjson.MarshalSingleValue(v)))}
		}
	}

	q += whereClause
	q += prepareOrderByClause(params.Sort)
`;

const QUERY_OF_IDS = `	whereClause, args = whereIDs(params.Filter)

	q += whereClause
	q += prepareOrderByClause(params.Sort)
`;

const WHERE_IDS = `
// whereIDs returns the condition for an _id that a filter names, alone or beside other conditions, or for a list of them.
func whereIDs(filter *types.Document) (string, []any) {
	if filter.Len() == 0 {
		return "", nil
	}

	v, _ := filter.Get("_id")
	values := []any{v}

	if operators, ok := v.(*types.Document); ok {
		in, _ := operators.Get("$in")

		array, ok := in.(*types.Array)
		if !ok || operators.Len() != 1 {
			return "", nil
		}

		values = make([]any, array.Len())
		for i := range values {
			values[i] = must.NotFail(array.Get(i))
		}
	}

	args := make([]any, len(values))

	for i, value := range values {
		switch value.(type) {
		case string, types.ObjectID, int32, int64:
			args[i] = string(must.NotFail(sjson.MarshalSingleValue(value)))
		default:
			return "", nil
		}
	}

	placeholders := strings.TrimSuffix(strings.Repeat("?, ", len(args)), ", ")

	return fmt.Sprintf(\` WHERE %s IN (%s)\`, metadata.IDColumn, placeholders), args
}
`;

/**
 * @param source `internal/backends/sqlite/collection.go` of FerretDB 1.24.2
 * @returns the same with look-ups by `_id` wherever a filter has one
 * @throws when it is another version
 */
export function pushDownIds(source: string): string {
  if (!source.includes(QUERY_OF_ID_ALONE))
    throw new Error('FerretDB has changed: adapt test/support/ferretdb/pushDownIds.ts.');
  return source.replace(QUERY_OF_ID_ALONE, () => QUERY_OF_IDS) + WHERE_IDS;
}
