/** How many judges a final may have. */
export const MAX_JUDGES = 12

/** Smallest number of score sheets from which the highest and the lowest may be dropped, so that two are left. */
export const MIN_SHEETS_TO_DROP = 4
