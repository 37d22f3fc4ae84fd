/**
 * The lines of a card, as the content has them.
 * @param texto each line begins with an asterisk, and may go on over several rows
 * @returns lines without asterisk, none empty; what has no asterisk is one line
 * @source specification §2.7
 */
export const linesOf = (texto: string): string[] =>
  texto
    .split('*')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
