import { createContext } from 'react-router'
import type { Queen } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { finalRankingRows } from '#app/finals/judging-table/data.server.ts'
import { readFinalRecord } from '#app/finals/record/data.server.ts'

/** A candidate with one of the final's titles; the first of a court is the queen. */
interface CourtMember extends Queen {
  name: string
}

/** Reads the courts of the editions whose record is public, by year; an altered record, or one without titles, has none. */
export interface Courts {
  read(): Promise<Map<number, CourtMember[]>>
  /** Reads only the queens, by year. */
  readQueens(): Promise<Map<number, Queen>>
}

export const courtsContext = createContext<Courts>()

/** Creates the reader of courts. A sealed record never changes, so each process reads and checks it once per publication. */
export function createCourts(services: Pick<Services, 'db' | 'keyed'>): Courts {
  /** Checked courts by year and moment of publication; empty for an edition without a court. */
  const courtByPublication = new Map<string, CourtMember[]>()
  async function read() {
    const courtByYear = new Map<number, CourtMember[]>()
    for (const { edicion, at } of await services.db
      .selectFrom('finales_publicas')
      .select(['edicion', 'at'])
      .execute()) {
      const key = `${edicion} ${at.toISOString()}`
      const court = courtByPublication.get(key) ?? (await readCourt(services, edicion))
      courtByPublication.set(key, court)
      if (court.length > 0) courtByYear.set(edicion, court)
    }
    return courtByYear
  }
  return {
    read,
    async readQueens() {
      return new Map([...(await read())].map(([year, [queen]]) => [year, { id: queen!.id, title: queen!.title }]))
    },
  }
}

async function readCourt(services: Pick<Services, 'db' | 'keyed'>, year: number): Promise<CourtMember[]> {
  const { state, firstAltered } = await readFinalRecord(services, year)
  if (!state.final?.closing || firstAltered !== undefined) return []
  return finalRankingRows(state.final).flatMap(({ id, name, title }) => (title ? [{ id, name, title }] : []))
}
