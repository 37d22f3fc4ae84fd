import type { Values } from '#app/cms/schema/read-content.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Database } from '#app/core/db/database.server.ts'

interface Teacher {
  id?: string
  nombre: string
  foto?: { foto?: string }
  retratoBn?: { foto?: string }
}

const teachersOf = (values: Values): Teacher[] =>
  (values['maestros.yaml'] as { maestros?: Teacher[] } | undefined)?.maestros ?? []

const addressOfTeacher = ({ nombre }: Teacher) => `/maestros/${slugOf(nombre)}`

/**
 * Finds teachers who were renamed since the previous publication. A teacher is recognised by the id, by the name, by a
 * portrait that no other teacher has, or by the place in a list of the same length, unless the place has another id.
 * @returns old address → new address
 */
export function renamedAddresses(previous: Values, current: Values): Map<string, string> {
  const [before, after] = [teachersOf(previous), teachersOf(current)]
  const keptAddresses = new Set(after.map(addressOfTeacher))
  const pairs = new Map<Teacher, Teacher>()
  const isUnmatched = (one: Teacher) => ![...pairs.values()].includes(one)
  const match = (keyOf: (one: Teacher) => string | undefined) => {
    for (const one of before) {
      const key = keyOf(one)
      if (pairs.has(one) || !key) continue
      const [found, ...more] = after.filter((other) => keyOf(other) === key)
      if (found && more.length === 0 && isUnmatched(found)) pairs.set(one, found)
    }
  }
  match(({ id }) => id)
  match(addressOfTeacher)
  match(({ retratoBn }) => retratoBn?.foto)
  match(({ foto }) => foto?.foto)
  if (before.length === after.length)
    for (const [index, one] of before.entries()) {
      const teacherNow = after[index]!
      const hasAnotherId = one.id !== undefined && teacherNow.id !== undefined && one.id !== teacherNow.id
      if (!pairs.has(one) && isUnmatched(teacherNow) && !hasAnotherId) pairs.set(one, teacherNow)
    }
  return new Map(
    [...pairs]
      .map(([one, other]): [string, string] => [addressOfTeacher(one), addressOfTeacher(other)])
      .filter(([from, to]) => from !== to && !keptAddresses.has(from)),
  )
}

/**
 * Merges new redirects into the stored redirects. Each redirect leads straight to the newest address of an existing page;
 * none leads to itself, and none stands at the address of a page.
 * @param existingAddresses addresses of existing pages
 */
export function mergeRedirects(
  storedRedirects: ReadonlyMap<string, string>,
  newRedirects: ReadonlyMap<string, string>,
  existingAddresses: ReadonlySet<string>,
): Map<string, string> {
  const allRedirects = new Map([...storedRedirects, ...newRedirects])
  for (const from of existingAddresses) allRedirects.delete(from)
  const finalAddressOf = (from: string): string | undefined => {
    const visitedAddresses = new Set([from])
    let destination = allRedirects.get(from)
    while (destination !== undefined && allRedirects.has(destination)) {
      if (visitedAddresses.has(destination)) return undefined
      visitedAddresses.add(destination)
      destination = allRedirects.get(destination)
    }
    return destination
  }
  return new Map(
    [...allRedirects.keys()].flatMap((from): [string, string][] => {
      const to = finalAddressOf(from)
      // A redirect to a missing page is dropped.
      return to === undefined || to === from || !existingAddresses.has(to) ? [] : [[from, to]]
    }),
  )
}

/**
 * Stores the redirects of teachers who were renamed since the previous publication, if there was one.
 * @param tx the transaction that puts the publication in force
 */
export async function storeRedirects(
  tx: Database,
  previous: Values | undefined,
  current: Values,
  now: Date,
): Promise<void> {
  const existingAddresses = new Set(teachersOf(current).map(addressOfTeacher))
  const rows = await tx.selectFrom('redirecciones').selectAll().where('desde', 'like', '/maestros/%').execute()
  const storedRedirects = new Map(rows.map(({ desde, hacia }) => [desde, hacia]))
  const mergedRedirects = mergeRedirects(
    storedRedirects,
    previous ? renamedAddresses(previous, current) : new Map(),
    existingAddresses,
  )
  for (const [from, to] of storedRedirects)
    if (mergedRedirects.get(from) !== to) await tx.deleteFrom('redirecciones').where('desde', '=', from).execute()
  const newRedirects = [...mergedRedirects].filter(([from, to]) => storedRedirects.get(from) !== to)
  if (newRedirects.length > 0)
    await tx
      .insertInto('redirecciones')
      .values(newRedirects.map(([from, to]) => ({ desde: from, hacia: to, at: now })))
      .execute()
}
