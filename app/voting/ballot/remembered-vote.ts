import { readPlace, type VotePlaces } from '#app/voting/election/rules.ts'

/** sessionStorage key of the chosen candidate's place, which the tab remembers in case a sign-in with Google fails. */
const REMEMBERED_VOTE_KEY = 'certamen.voto.google'

export function rememberVote(votePlace: number): void {
  try {
    sessionStorage.setItem(REMEMBERED_VOTE_KEY, String(votePlace))
  } catch {
    // Without session storage the visitor chooses the candidate again.
  }
}

export function recallVote(places: VotePlaces): number | undefined {
  try {
    const votePlace = readPlace(
      new URLSearchParams({ vote: sessionStorage.getItem(REMEMBERED_VOTE_KEY) ?? '' }),
      places,
    )
    return typeof votePlace === 'number' ? votePlace : undefined
  } catch {
    return undefined
  }
}
