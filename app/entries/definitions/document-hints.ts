import type { ContentFault, EditionDocuments } from '#app/cms/schema/read-content.server.ts'
import { FORMS } from './both-forms.ts'
import type { EntryType } from './document-kinds.ts'
import { kindOf } from './document-kinds.ts'

/** Each form's texts stand in this file of the edition's content. */
const TEXT_FILES = { candidata: 'registro.yaml', traje: 'registro-traje.yaml' } as const satisfies Record<
  EntryType,
  string
>

/** Finds kinds without a hint, and hints for kinds that the form does not have. A file without `pistas` gives no fault here. */
export const hintFaults = (files: Pick<Partial<EditionDocuments>, (typeof TEXT_FILES)[EntryType]>): ContentFault[] =>
  Object.values(FORMS).flatMap(({ type, kinds }) => {
    const file = TEXT_FILES[type]
    const hints = files[file]?.pistas
    if (!hints) return []
    const missing = kinds.filter((kind) => hints[kind] === undefined)
    const strange = Object.keys(hints).filter((one) => !kinds.some((kind) => kind === one))
    return [
      ...missing.map((kind) => ({
        archivo: file,
        campo: `pistas.${kind}`,
        remedio: `falta: escribe qué pedir en «${kindOf(kind).label}»`,
      })),
      ...strange.map((one) => ({
        archivo: file,
        campo: `pistas.${one}`,
        remedio: `no es un documento de este registro: los que hay son ${kinds.join(', ')}`,
      })),
    ]
  })
