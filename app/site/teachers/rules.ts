/**
 * Splits the text of a card into its lines.
 * @param text each line begins with an asterisk, and may continue over several rows
 * @returns the lines without asterisks, none empty; a text without an asterisk is one line
 * @source §2.7
 */
export const linesOf = (text: string): string[] =>
  text
    .split('*')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
