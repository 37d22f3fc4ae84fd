/** Years of the fair: nothing earlier was told of, and house numbers are smaller. */
const ANIO = /(?<![\d.,])(?:1[6-9]|20)\d\d(?![\d.,]*\d)/g

/** The years that a text names, each once, in the order of time. */
export const aniosEn = (texto: string): string[] => [...new Set(texto.match(ANIO))].sort()
