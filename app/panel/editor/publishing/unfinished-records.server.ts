import type { Services } from '#app/core/http/services.server.ts'
import { formatLongDateTime } from '#app/core/time/mexico-dates.ts'
import { readFinalRecord, readPublishedAt } from '#app/finals/record/data.server.ts'
import { hasVotes } from '#app/voting/election/data.server.ts'
import { readRecord as readVoteRecord } from '#app/voting/sealing/data.server.ts'

/**
 * Lists Spanish warnings about opening the next edition: this year's final has not begun, or a record cannot be sealed or made
 * public afterwards.
 * @param coronation ISO moment of the year's final
 */
export async function listUnfinishedRecords(services: Services, year: number, coronation: string): Promise<string[]> {
  const { db, clock } = services
  const finalAt = new Date(coronation)
  const { final } = (await readFinalRecord(services, year)).state
  const isVoteUnsealed = (await hasVotes(db, year)) && !(await readVoteRecord(db, year, 'cierre'))
  const isFinalHidden = final?.closing !== undefined && !(await readPublishedAt(db, year))
  return [
    finalAt > clock.now() &&
      `La ${year} todavía no termina: su final es el ${formatLongDateTime(finalAt)}. Al abrir la siguiente, su registro, su votación y su final dejan de verse ese mismo momento.`,
    isVoteUnsealed && `La votación de ${year} no tiene acta de cierre: después ya no se podrá sellar.`,
    final && !final.closing && `La final de ${year} está abierta: después ya no se podrá terminar ni sellar.`,
    isFinalHidden && `El acta de la final de ${year} no es pública: después ya no se podrá hacer pública.`,
  ].filter((warning) => typeof warning === 'string')
}
