/** How many judges a final may have. */
export const MAX_JUDGES = 12

/** From how many sheets on the highest and the lowest may be dropped: at least two are left. */
export const MIN_SHEETS_TO_DROP = 4
