/** Headers by lower-case name; values of a repeated header are joined by ", ". */
export type HeaderLookup = Pick<ReadonlyMap<string, string>, 'get'>;
