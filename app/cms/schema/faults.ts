import * as v from 'valibot'
import { ARCHIVOS } from './edition-documents.ts'
import { type Camino, valorEn } from './edits.ts'
import { type Descriptor, describir, enPalabras } from './field-descriptor.ts'

export type Documento = keyof typeof ARCHIVOS

export const isDocumento = (name: string): name is Documento => Object.hasOwn(ARCHIVOS, name)

/** What is wrong with a file's field, for whoever writes the file. */
export function explain(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'validation' || issue.type === 'picklist')
    return issue.message.startsWith('Invalid') ? 'tiene un valor imposible' : issue.message
  if (issue.type === 'strict_object' && issue.expected === 'never') return 'sobra: bórralo o corrige su nombre'
  if (issue.received === 'undefined') return 'falta: agrégalo'
  const esperado: Record<string, string> = {
    string: 'un texto (si es un número, ponlo entre comillas)',
    number: 'un número, sin comillas',
    boolean: 'true o false, sin comillas',
    array: 'una lista',
    tuple: 'una lista corta entre corchetes',
    strict_object: 'un grupo de campos',
  }
  return `debe ser ${esperado[issue.type] ?? issue.expected}; dice ${issue.received}`
}

/** What is wrong with a field of the draft, for whoever fills in a form. */
export interface FallaDeCampo {
  documento: string
  campo: Camino
  /** The field in the words of the form: «Noticias › 2 › Título». */
  donde: string
  /** What is wrong and how it is mended: «está vacío: escribe el texto». */
  remedio: string
}

/** What a field says that has nothing in it yet, by its class. */
const VACIOS: Record<string, string> = {
  foto: 'falta la fotografía: elige una',
  logo: 'falta el logotipo: elige un archivo',
  video: 'falta el video: elige un archivo',
  documento: 'falta el documento: elige un archivo',
  numero: 'está vacío: escribe un número',
  fecha: 'está vacía: elige el día',
  momento: 'está vacío: elige el día y la hora',
  hora: 'está vacía: elige la hora',
  cumple: 'está vacío: escribe el día y el mes, como «7 de agosto»',
  enlace: 'está vacío: pega la dirección, con https://',
  tono: 'está vacío: elige un color',
  color: 'está vacío: elige un color',
  persona: 'está vacío: elige a una candidata',
  eleccion: 'está vacío: elige una opción',
}

const DESCRIPTORES = new Map<string, Descriptor>()

/** What can be written in a document. */
export function descriptorDe(documento: Documento): Descriptor {
  const known = DESCRIPTORES.get(documento) ?? describir(ARCHIVOS[documento], undefined, documento)
  DESCRIPTORES.set(documento, known)
  return known
}

const caminoDe = (issue: v.BaseIssue<unknown>): Camino =>
  (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))

/** What is wrong with a document of the draft: one fault a field, in the order of the form. */
export function fallasDe(documento: Documento, valor: unknown): FallaDeCampo[] {
  const descriptor = descriptorDe(documento)
  const { issues = [] } = v.safeParse(ARCHIVOS[documento], valor)
  const found = new Map<string, FallaDeCampo>()
  for (const issue of issues) {
    const { campo, clase } = hojaEn(descriptor, caminoDe(issue))
    const key = JSON.stringify(campo)
    if (found.has(key)) continue
    const said = valorEn(valor, campo)
    const isEmpty = said === undefined || said === null || said === '' || isFotoVacia(said)
    const remedio = (isEmpty && VACIOS[clase]) || (isEmpty ? 'está vacío: escribe el texto' : explain(issue))
    const falta = isAltDe(issue) && !isEmpty ? 'falta decir qué se ve en ella, para quien no la ve' : remedio
    found.set(key, { documento, campo, donde: enPalabras(descriptor, campo), remedio: falta })
  }
  return [...found.values()]
}

const isFotoVacia = (said: unknown) => typeof said === 'object' && said !== null && 'foto' in said && said.foto === ''

const isAltDe = (issue: v.BaseIssue<unknown>) => issue.path?.at(-1)?.key === 'alt'

/** The field that is written by itself and holds a place: a photograph is one, whatever of it is wrong. */
function hojaEn(descriptor: Descriptor, camino: Camino): { campo: Camino; clase: string } {
  let here = descriptor
  for (const [at, paso] of camino.entries()) {
    let next: Descriptor | undefined
    if (here.clase === 'lista' && typeof paso === 'number') next = here.de
    else if (here.clase === 'grupo') next = here.campos.find(({ nombre }) => nombre === paso)?.campo
    if (!next) return { campo: camino.slice(0, at), clase: here.clase }
    here = next
  }
  return { campo: camino, clase: here.clase }
}

/** Faults between documents, each of which is well by itself. */
export function contradicciones(valores: Readonly<Record<string, unknown>>): FallaDeCampo[] {
  const ganadora = valorEn(valores['popularidad.yaml'], ['ganadora', 'candidata'])
  const candidatas = valorEn(valores['candidatas.yaml'], ['candidatas'])
  if (typeof ganadora !== 'string' || ganadora === '' || !Array.isArray(candidatas)) return []
  if (candidatas.some((una) => valorEn(una, ['id']) === ganadora)) return []
  const campo = ['ganadora', 'candidata']
  const donde = enPalabras(descriptorDe('popularidad.yaml'), campo)
  return [{ documento: 'popularidad.yaml', campo, donde, remedio: 'ya no está entre las candidatas: elige a otra' }]
}

/** Everything that is wrong with an edition, document by document. */
export const revisar = (valores: Readonly<Record<string, unknown>>): FallaDeCampo[] => [
  ...(Object.keys(ARCHIVOS) as Documento[]).flatMap((documento) => fallasDe(documento, valores[documento])),
  ...contradicciones(valores),
]
