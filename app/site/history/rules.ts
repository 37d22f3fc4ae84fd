/** Matches years from 1600 to 2099: the fair's history has no earlier years, and house numbers are smaller. */
const YEAR = /(?<![\d.,])(?:1[6-9]|20)\d\d(?![\d.,]*\d)/g

/** Returns the years that a text names, each once, in ascending order. */
export const yearsIn = (text: string): string[] => [...new Set(text.match(YEAR))].sort()
