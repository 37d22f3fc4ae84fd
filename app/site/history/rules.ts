/** The pattern matches years from 1600 to 2099: the fair's history has none earlier, and house numbers are smaller. */
const YEAR = /(?<![\d.,])(?:1[6-9]|20)\d\d(?![\d.,]*\d)/g

/** Returns the years that a text names, each once, in the order of time. */
export const yearsIn = (text: string): string[] => [...new Set(text.match(YEAR))].sort()
