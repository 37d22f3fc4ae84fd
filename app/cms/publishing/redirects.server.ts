import type { Valores } from '#app/cms/schema/read-content.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Database } from '#app/core/db/database.server.ts'

interface Maestro {
  id?: string
  nombre: string
  foto?: { foto?: string }
  retratoBn?: { foto?: string }
}

const maestrosOf = (valores: Valores): Maestro[] =>
  (valores['maestros.yaml'] as { maestros?: Maestro[] } | undefined)?.maestros ?? []

const direccionDe = ({ nombre }: Maestro) => `/maestros/${slugOf(nombre)}`

/**
 * Addresses of people who have another name than in the publication before. Somebody is known again by the id; by the
 * name; by a portrait that nobody else has; in a list of the same length by the place, unless whoever stands there was
 * found elsewhere.
 * @returns old address → new one
 */
export function renombrados(antes: Valores, ahora: Valores): Map<string, string> {
  const [before, after] = [maestrosOf(antes), maestrosOf(ahora)]
  const kept = new Set(after.map(direccionDe))
  const pairs = new Map<Maestro, Maestro>()
  const isFree = (uno: Maestro) => ![...pairs.values()].includes(uno)
  const match = (keyOf: (uno: Maestro) => string | undefined) => {
    for (const uno of before) {
      const key = keyOf(uno)
      if (pairs.has(uno) || !key) continue
      const [found, ...more] = after.filter((otro) => keyOf(otro) === key)
      if (found && more.length === 0 && isFree(found)) pairs.set(uno, found)
    }
  }
  match(({ id }) => id)
  match(direccionDe)
  match(({ retratoBn }) => retratoBn?.foto)
  match(({ foto }) => foto?.foto)
  if (before.length === after.length)
    for (const [place, uno] of before.entries()) {
      const there = after[place]!
      const isOther = uno.id !== undefined && there.id !== undefined && uno.id !== there.id
      if (!pairs.has(uno) && isFree(there) && !isOther) pairs.set(uno, there)
    }
  return new Map(
    [...pairs]
      .map(([uno, otro]): [string, string] => [direccionDe(uno), direccionDe(otro)])
      .filter(([desde, hacia]) => desde !== hacia && !kept.has(desde)),
  )
}

/**
 * All redirections once these are added: an address of before leads to the newest name at once, never to itself, and none
 * stands where there is a page again.
 * @param there addresses that have a page of their own
 */
export function seguidas(
  antes: ReadonlyMap<string, string>,
  nuevas: ReadonlyMap<string, string>,
  there: ReadonlySet<string>,
): Map<string, string> {
  const todas = new Map([...antes, ...nuevas])
  for (const desde of there) todas.delete(desde)
  const end = (desde: string): string | undefined => {
    const seen = new Set([desde])
    let here = todas.get(desde)
    while (here !== undefined && todas.has(here)) {
      if (seen.has(here)) return undefined
      seen.add(here)
      here = todas.get(here)
    }
    return here
  }
  return new Map(
    [...todas.keys()].flatMap((desde): [string, string][] => {
      const hacia = end(desde)
      // Nobody is led to a page that is not there.
      return hacia === undefined || hacia === desde || !there.has(hacia) ? [] : [[desde, hacia]]
    }),
  )
}

/**
 * Writes down where people with another name are found from now on.
 * @param tx the transaction that puts the publication in force
 * @param antes values of the publication in force until then; undefined where there is none
 */
export async function keepRedirecciones(
  tx: Database,
  antes: Valores | undefined,
  ahora: Valores,
  now: Date,
): Promise<void> {
  const there = new Set(maestrosOf(ahora).map(direccionDe))
  const rows = await tx.selectFrom('redirecciones').selectAll().where('desde', 'like', '/maestros/%').execute()
  const old = new Map(rows.map(({ desde, hacia }) => [desde, hacia]))
  const next = seguidas(old, antes ? renombrados(antes, ahora) : new Map(), there)
  for (const [desde, hacia] of old)
    if (next.get(desde) !== hacia) await tx.deleteFrom('redirecciones').where('desde', '=', desde).execute()
  const nuevas = [...next].filter(([desde, hacia]) => old.get(desde) !== hacia)
  if (nuevas.length > 0)
    await tx
      .insertInto('redirecciones')
      .values(nuevas.map(([desde, hacia]) => ({ desde, hacia, at: now })))
      .execute()
}
