/** Words as a sentence lists them: «uno», «uno y dos», «uno, dos y tres»; before an i, «e». */
export function enLista(palabras: readonly string[]): string {
  const last = palabras.at(-1) ?? ''
  if (palabras.length < 2) return last
  const and = /^h?i(?![aeoué])/i.test(last.normalize('NFD').replace(/\p{M}/gu, '')) ? 'e' : 'y'
  return `${palabras.slice(0, -1).join(', ')} ${and} ${last}`
}
