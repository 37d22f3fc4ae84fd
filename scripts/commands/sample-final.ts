import { randomUUID } from 'node:crypto'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { readFinalRecord } from '#app/finals/record/data.server.ts'
import { makeJudgeLink } from '#app/finals/record/judge-links.server.ts'
import { closeRound, openFinal, openRound, sealFinalRecord, signSheet } from '#app/finals/record/mutations.server.ts'
import { activeCandidateIds, openRoundOf } from '#app/finals/record/state.ts'

const EDITION = 2025
const JUDGES = ['Elena Ceiba Robles', 'Tomás Copal Ruiz', 'Amalia Nardo Díaz', 'Raúl Tila Peña', 'Inés Agave Soto']

export function assertDone(outcome: { ok: boolean; reason?: unknown }): void {
  if (!outcome.ok) throw new Error(`The sample was refused: ${outcome.reason}`)
}

/**
 * Judges the sample's final up to a round. Candidates who come first in the order get more points.
 * @param openRoundNumber the round that stays open with two signed sheets; if it is undefined, all rounds are judged, and the record
 * is sealed
 */
export async function judgeFinal(
  services: Services,
  setClock: (moment: string) => Promise<void>,
  openRoundNumber?: number,
): Promise<void> {
  await setClock('2025-09-27T19:00:00-06:00')
  for (const [index, name] of JUDGES.entries())
    await makeJudgeLink(services, { judgeNumber: index + 1, typedName: name }, TERMINAL)
  await setClock('2025-09-27T20:05:00-06:00')
  assertDone(await openFinal(services, TERMINAL))
  const readFinal = async () => (await readFinalRecord(services, EDITION)).state.final!
  const roundCount = (await readFinal()).rules.rondas.length
  for (let roundNumber = 1; roundNumber <= (openRoundNumber ?? roundCount); roundNumber++) {
    await setClock(`2025-09-27T20:${10 + roundNumber * 10}:00-06:00`)
    assertDone(await openRound(services, EDITION, roundNumber, TERMINAL))
    const final = await readFinal()
    const candidates = activeCandidateIds(final, openRoundOf(final)!)
    for (const judgeNumber of JUDGES.keys().map((index) => index + 1)) {
      if (roundNumber === openRoundNumber && judgeNumber > 2) return
      // Scores are in tenths of a point; each candidate has one for each of the two criteria, both in whole points.
      const scores = Object.fromEntries(candidates.map((id, place) => [id, [100 - place * 10, 90 - place * 10]]))
      assertDone(
        await signSheet(
          services,
          { edition: EDITION, roundNumber, judgeNumber, idempotencyKey: randomUUID() },
          scores,
          TERMINAL,
        ),
      )
    }
    assertDone(await closeRound(services, EDITION, roundNumber, new Map(), TERMINAL))
  }
  assertDone(await sealFinalRecord(services, EDITION, TERMINAL))
}
