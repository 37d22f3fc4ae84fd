import { type Places, readPlace } from '#app/voting/election/rules.ts'

/** The candidate is kept under this name while the visitor is at Google, in this tab alone. */
const REMEMBERED_VOTE_KEY = 'certamen.voto.google'

export function rememberVote(vote: number): void {
  try {
    sessionStorage.setItem(REMEMBERED_VOTE_KEY, String(vote))
  } catch {
    // A browser that keeps nothing asks for the candidate again.
  }
}

export function recallVote(places: Places): number | undefined {
  try {
    const vote = readPlace(new URLSearchParams({ vote: sessionStorage.getItem(REMEMBERED_VOTE_KEY) ?? '' }), places)
    return typeof vote === 'number' ? vote : undefined
  } catch {
    return undefined
  }
}
