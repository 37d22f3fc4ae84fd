/** Returns the path of an edition's closing record, which stays valid when the site shows another edition. */
export const recordPath = (year: number, extension: '' | '.json' = '') =>
  `/misspopularidad/acta${extension}?edicion=${year}`
