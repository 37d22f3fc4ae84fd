/** Returns the path of an edition's record of the final, which also works when the site shows another edition. */
export const finalRecordPath = (year: number, extension: '' | '.json' = '') => `/final/acta${extension}?edicion=${year}`

export const queenPath = (year: number) => `/reina/${year}`
