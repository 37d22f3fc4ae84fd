import { createContext } from 'react-router'
import type { Queen } from '#app/cms/editions/displayed-edition.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { finalOrderRows } from '#app/finals/judging-table/data.server.ts'
import { readRecord } from '#app/finals/record/data.server.ts'

/** A member of the court got one of the final's titles; the first of a court is the queen. */
interface CourtMember extends Queen {
  name: string
}

/** The courts of the editions whose record the organisers have published, by year; an altered record has none. */
export interface Courts {
  read(): Promise<Map<number, CourtMember[]>>
  /** Reads the queens alone. */
  readQueens(): Promise<Map<number, Queen>>
}

export const courtsContext = createContext<Courts>()

/** Creates the reader of courts. A published record never changes, so each is read and checked once per process. */
export function createCourts(services: Pick<Services, 'db' | 'keyed'>): Courts {
  /** The keys name year and publication. */
  const known = new Map<string, CourtMember[]>()
  async function read() {
    const courts = new Map<number, CourtMember[]>()
    for (const { edicion, at } of await services.db
      .selectFrom('finales_publicas')
      .select(['edicion', 'at'])
      .execute()) {
      const key = `${edicion} ${at.toISOString()}`
      const court = known.get(key) ?? (await readCourt(services, edicion))
      known.set(key, court)
      if (court.length > 0) courts.set(edicion, court)
    }
    return courts
  }
  return {
    read,
    async readQueens() {
      return new Map([...(await read())].map(([year, [queen]]) => [year, { id: queen!.id, title: queen!.title }]))
    },
  }
}

async function readCourt(services: Pick<Services, 'db' | 'keyed'>, year: number): Promise<CourtMember[]> {
  const { state, firstAltered } = await readRecord(services, year)
  if (!state.final?.closing || firstAltered !== undefined) return []
  return finalOrderRows(state.final).flatMap(({ id, name, title }) => (title ? [{ id, name, title }] : []))
}
