import type { EditionValues } from '#app/cms/schema/read-content.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import type { Database } from '#app/core/db/database.server.ts'

interface Teacher {
  id?: string
  nombre: string
  foto?: { foto?: string }
  retratoBn?: { foto?: string }
}

const teachersOf = (values: EditionValues): Teacher[] =>
  (values['maestros.yaml'] as { maestros?: Teacher[] } | undefined)?.maestros ?? []

const teacherPath = ({ nombre }: Teacher) => `/maestros/${slugOf(nombre)}`

/**
 * Finds teachers who were renamed since the previous publication. A teacher is recognised by the id, by the name, by a
 * portrait that no other teacher has, or by the index in a list of the same length, unless the ids there differ.
 * @returns old path → new path; leaves out an old path that another teacher has now
 */
export function renamedTeacherPaths(previous: EditionValues, current: EditionValues): Map<string, string> {
  const [before, after] = [teachersOf(previous), teachersOf(current)]
  const currentPaths = new Set(after.map(teacherPath))
  const pairs = new Map<Teacher, Teacher>()
  const isUnmatched = (teacher: Teacher) => ![...pairs.values()].includes(teacher)
  const matchBy = (keyOf: (teacher: Teacher) => string | undefined) => {
    for (const teacherBefore of before) {
      const key = keyOf(teacherBefore)
      if (pairs.has(teacherBefore) || !key) continue
      const [match, ...furtherMatches] = after.filter((teacherAfter) => keyOf(teacherAfter) === key)
      if (match && furtherMatches.length === 0 && isUnmatched(match)) pairs.set(teacherBefore, match)
    }
  }
  matchBy(({ id }) => id)
  matchBy(teacherPath)
  matchBy(({ retratoBn }) => retratoBn?.foto)
  matchBy(({ foto }) => foto?.foto)
  if (before.length === after.length)
    for (const [index, teacherBefore] of before.entries()) {
      const teacherAfter = after[index]!
      const hasAnotherId =
        teacherBefore.id !== undefined && teacherAfter.id !== undefined && teacherBefore.id !== teacherAfter.id
      if (!pairs.has(teacherBefore) && isUnmatched(teacherAfter) && !hasAnotherId)
        pairs.set(teacherBefore, teacherAfter)
    }
  return new Map(
    [...pairs]
      .map(([teacherBefore, teacherAfter]): [string, string] => [teacherPath(teacherBefore), teacherPath(teacherAfter)])
      .filter(([from, to]) => from !== to && !currentPaths.has(from)),
  )
}

/**
 * Merges new redirects into the stored ones. Each redirect leads straight to the path of an existing page; none leads to
 * itself, and none starts at the path of an existing page.
 */
export function mergeRedirects(
  storedRedirects: ReadonlyMap<string, string>,
  newRedirects: ReadonlyMap<string, string>,
  existingPaths: ReadonlySet<string>,
): Map<string, string> {
  const allRedirects = new Map([...storedRedirects, ...newRedirects])
  for (const path of existingPaths) allRedirects.delete(path)
  const finalPathOf = (from: string): string | undefined => {
    const visitedPaths = new Set([from])
    let destination = allRedirects.get(from)
    while (destination !== undefined && allRedirects.has(destination)) {
      if (visitedPaths.has(destination)) return undefined
      visitedPaths.add(destination)
      destination = allRedirects.get(destination)
    }
    return destination
  }
  return new Map(
    [...allRedirects.keys()].flatMap((from): [string, string][] => {
      const to = finalPathOf(from)
      return to === undefined || to === from || !existingPaths.has(to) ? [] : [[from, to]]
    }),
  )
}

/**
 * Stores the redirects of teachers who were renamed since the previous publication, if there was one.
 * @param tx transaction that puts the publication in force
 */
export async function storeRedirects(
  tx: Database,
  previous: EditionValues | undefined,
  current: EditionValues,
  now: Date,
): Promise<void> {
  const existingPaths = new Set(teachersOf(current).map(teacherPath))
  const rows = await tx.selectFrom('redirecciones').selectAll().where('desde', 'like', '/maestros/%').execute()
  const storedRedirects = new Map(rows.map(({ desde, hacia }) => [desde, hacia]))
  const mergedRedirects = mergeRedirects(
    storedRedirects,
    previous ? renamedTeacherPaths(previous, current) : new Map(),
    existingPaths,
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
