import { normalizeText } from '#app/core/text/typed-text.ts'

/** Returns a name as a part of a URL: «rocio-tabachin-reyes» for «Rocío Tabachín Reyes». */
export const slugOf = (name: string) =>
  normalizeText(name, 'NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
