import type { ContentFault, EditionDocuments } from '#app/cms/schema/read-content.server.ts'
import { FORMS } from './both-forms.ts'
import type { EntryType } from './document-kinds.ts'
import { kindOf } from './document-kinds.ts'

/** The file of the edition's content that holds each form's texts. */
const TEXT_FILES = { candidata: 'registro.yaml', traje: 'registro-traje.yaml' } as const satisfies Record<
  EntryType,
  string
>

/** Finds kinds of document without a hint, and hints for kinds that the form lacks. A file without `pistas` gives no fault here. */
export const findHintFaults = (
  files: Pick<Partial<EditionDocuments>, (typeof TEXT_FILES)[EntryType]>,
): ContentFault[] =>
  Object.values(FORMS).flatMap(({ type, kinds }) => {
    const file = TEXT_FILES[type]
    const hints = files[file]?.pistas
    if (!hints) return []
    const missingKinds = kinds.filter((kind) => hints[kind] === undefined)
    const unknownKeys = Object.keys(hints).filter((key) => !kinds.some((kind) => kind === key))
    return [
      ...missingKinds.map((kind) => ({
        archivo: file,
        campo: `pistas.${kind}`,
        remedio: `falta: escribe qué pedir en «${kindOf(kind).label}»`,
      })),
      ...unknownKeys.map((key) => ({
        archivo: file,
        campo: `pistas.${key}`,
        remedio: `no es un documento de este registro: los que hay son ${kinds.join(', ')}`,
      })),
    ]
  })
