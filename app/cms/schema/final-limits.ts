/** A final has at most this many judges. */
export const MAX_JUDGES = 12

/** The highest and the lowest of this many score sheets may be dropped, so that at least two are left. */
export const MIN_SHEETS_TO_DROP = 4
