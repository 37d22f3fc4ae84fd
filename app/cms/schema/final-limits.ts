/** Maximum number of judges of a final. */
export const MAX_JUDGES = 12

/** Number of sheets from which the highest and the lowest may be dropped, so that at least two are left. */
export const MIN_SHEETS_TO_DROP = 4
