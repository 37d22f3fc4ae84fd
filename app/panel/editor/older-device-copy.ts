import { type FieldPath, isEqual, isGroup, valueAt, withValueAt } from '#app/cms/schema/field-path.ts'
import type { DraftDocuments, StoredDocument } from './draft-state.ts'

/** A version before 2026-12 stored each change of a field or list by itself. */
type OlderEdit = { documento: string; campo: FieldPath } & (
  | { que: 'poner'; antes?: unknown; ahora?: unknown }
  | { que: 'agregar'; en: number; ahora: unknown }
  | { que: 'quitar'; en: number; antes: unknown }
  | { que: 'mover'; en: number; a: number; antes: unknown }
)

/** Reads changes that the version before stored on the device; undefined for another text. */
export function readOlderCopy(text: string | null, documents: DraftDocuments) {
  try {
    const stored: unknown = JSON.parse(text!)
    if (!isGroup(stored) || !Array.isArray(stored.pendientes) || !Array.isArray(stored.choques)) return undefined
    const choices = (stored.choques as { retoque: OlderEdit }[]).map(({ retoque }) => retoque)
    const changes: Record<string, StoredDocument> = {}
    for (const edit of [...(stored.pendientes as OlderEdit[]), ...choices]) {
      const name = edit.documento
      const { seen, mine } = changes[name] ?? { seen: documents[name]?.site, mine: documents[name]?.site }
      if (mine === undefined) continue
      const edited = edit.que === 'poner' ? withField(seen, mine, edit) : { seen, mine: withItems(mine, edit) }
      changes[name] = { ...edited, removals: [] }
    }
    return changes
  } catch {
    return undefined
  }
}

/** Sets a field. Where the site has changed it meanwhile, the value that the editor saw makes a conflict. */
function withField(seen: unknown, mine: unknown, { campo, antes, ahora }: OlderEdit & { que: 'poner' }) {
  const isAsSeen = isEqual(valueAt(mine, campo), antes)
  return { seen: isAsSeen ? seen : withValueAt(seen, campo, antes), mine: withValueAt(mine, campo, ahora) }
}

function withItems(mine: unknown, edit: OlderEdit & { que: 'agregar' | 'quitar' | 'mover' }): unknown {
  const list = valueAt(mine, edit.campo) ?? []
  if (!Array.isArray(list)) return mine
  const place = list.findIndex((item) => isEqual(item, edit.que === 'agregar' ? edit.ahora : edit.antes))
  const withList = (items: readonly unknown[]) => withValueAt(mine, edit.campo, items)
  if (edit.que === 'agregar') return place === -1 ? withList(list.toSpliced(edit.en, 0, edit.ahora)) : mine
  if (place === -1) return mine
  const rest = list.toSpliced(place, 1)
  return withList(edit.que === 'quitar' ? rest : rest.toSpliced(edit.a, 0, list[place]))
}
