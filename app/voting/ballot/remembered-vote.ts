import { type Lugares, readLugar } from '#app/voting/election/rules.ts'

/** The candidate is kept under this name while the visitor is at Google, in this tab alone. */
const RECORDADO = 'certamen.voto.google'

export function rememberVoto(vote: number): void {
  try {
    sessionStorage.setItem(RECORDADO, String(vote))
  } catch {
    // A browser that keeps nothing asks for the candidate again.
  }
}

export function recallVoto(lugares: Lugares): number | undefined {
  try {
    const vote = readLugar(new URLSearchParams({ vote: sessionStorage.getItem(RECORDADO) ?? '' }), lugares)
    return typeof vote === 'number' ? vote : undefined
  } catch {
    return undefined
  }
}
