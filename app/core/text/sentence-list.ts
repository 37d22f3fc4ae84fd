/** Joins words as in a Spanish sentence: «uno», «uno y dos», «uno, dos y tres», with «e» instead of «y» before the sound i. */
export function sentenceList(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  if (words.length < 2) return last
  const conjunction = /^h?i(?![aeoué])/i.test(last.normalize('NFD').replace(/\p{M}/gu, '')) ? 'e' : 'y'
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`
}
