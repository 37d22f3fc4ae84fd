import { normalizeText } from '#app/core/text/typed-text.ts'

/** Writes a name as it stands in an address: «Rocío Tabachín Reyes» becomes «rocio-tabachin-reyes». */
export const slugOf = (name: string) =>
  normalizeText(name, 'NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
