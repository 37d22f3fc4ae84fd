/** Returns the address of an edition's closing record, which stays when the site shows another edition. */
export const recordPath = (year: number, extension: '' | '.json' = '') =>
  `/misspopularidad/acta${extension}?edicion=${year}`
