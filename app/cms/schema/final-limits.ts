/** How many judges a final may have. */
export const MAX_JUECES = 12

/** From how many sheets on the highest and the lowest may be dropped: at least two are left. */
export const MIN_PARA_DESCARTAR = 4
