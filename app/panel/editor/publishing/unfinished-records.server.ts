import type { Services } from '#app/core/http/services.server.ts'
import { readFinalRecord, readPublishedAt } from '#app/finals/record/data.server.ts'
import { hasVotes } from '#app/voting/election/data.server.ts'
import { readRecord as readVoteRecord } from '#app/voting/sealing/data.server.ts'

/** Lists, as Spanish warnings, the records of a year that cannot be sealed or made public once the next edition is open. */
export async function listUnfinishedRecords(services: Services, year: number): Promise<string[]> {
  const { db } = services
  const { final } = (await readFinalRecord(services, year)).state
  const isVoteUnsealed = (await hasVotes(db, year)) && !(await readVoteRecord(db, year, 'cierre'))
  const isFinalHidden = final?.closing !== undefined && !(await readPublishedAt(db, year))
  return [
    isVoteUnsealed && `La votación de ${year} no tiene acta de cierre: después ya no se podrá sellar.`,
    final && !final.closing && `La final de ${year} está abierta: después ya no se podrá terminar ni sellar.`,
    isFinalHidden && `El acta de la final de ${year} no es pública: después ya no se podrá hacer pública.`,
  ].filter((warning) => typeof warning === 'string')
}
