import { type Places, readPlace } from '#app/voting/election/rules.ts'

/** sessionStorage key of the chosen candidate's place, kept while the visitor signs in with Google in the same tab. */
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
