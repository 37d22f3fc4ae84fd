import type { Archivos, Falla } from '#app/cms/schema/read-content.server.ts'
import { FORMAS } from './both-forms.ts'
import type { TipoInscripcion } from './document-kinds.ts'
import { claseOf } from './document-kinds.ts'

/** The file of the edition that has each form's words. */
const TEXTOS = { candidata: 'registro.yaml', traje: 'registro-traje.yaml' } as const satisfies Record<
  TipoInscripcion,
  string
>

/** What is wrong with the hints that an edition gives beside its forms' documents: one that is missing, or is nobody's. */
export const fallasDePistas = (archivos: Pick<Partial<Archivos>, (typeof TEXTOS)[TipoInscripcion]>): Falla[] =>
  Object.values(FORMAS).flatMap(({ tipo, clases }) => {
    const archivo = TEXTOS[tipo]
    const pistas = archivos[archivo]?.pistas
    if (!pistas) return []
    const missing = clases.filter((clase) => pistas[clase] === undefined)
    const strange = Object.keys(pistas).filter((one) => !clases.some((clase) => clase === one))
    return [
      ...missing.map((clase) => ({
        archivo,
        campo: `pistas.${clase}`,
        remedio: `falta: escribe qué pedir en «${claseOf(clase).etiqueta}»`,
      })),
      ...strange.map((one) => ({
        archivo,
        campo: `pistas.${one}`,
        remedio: `no es un documento de este registro: los que hay son ${clases.join(', ')}`,
      })),
    ]
  })
