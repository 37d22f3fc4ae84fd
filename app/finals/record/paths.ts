/** Returns the address of an edition's record of the final, which stays when the site shows another edition. */
export const finalRecordPath = (year: number, extension: '' | '.json' = '') => `/final/acta${extension}?edicion=${year}`

/** Returns the address of the page of an edition's queen. */
export const queenPath = (year: number) => `/reina/${year}`
