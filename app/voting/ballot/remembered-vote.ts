import { type Places, readPlace } from '#app/voting/election/rules.ts'

/** Under this key, session storage keeps the place of the chosen candidate in this tab while the visitor signs in with Google. */
const REMEMBERED_VOTE_KEY = 'certamen.voto.google'

export function rememberVote(vote: number): void {
  try {
    sessionStorage.setItem(REMEMBERED_VOTE_KEY, String(vote))
  } catch {
    // Without session storage the visitor chooses the candidate again.
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
