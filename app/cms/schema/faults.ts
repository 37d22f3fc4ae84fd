import * as v from 'valibot'
import { DOCUMENT_SCHEMAS } from './edition-documents.ts'
import { describeSchema, type FieldDescriptor, fieldInWords } from './field-descriptor.ts'
import { type FieldPath, valueAt } from './field-path.ts'

export type DocumentName = keyof typeof DOCUMENT_SCHEMAS

export const isDocumentName = (name: string): name is DocumentName => Object.hasOwn(DOCUMENT_SCHEMAS, name)

/** Explains a fault of a content file or of a form's field in Spanish, for its author. */
export function explainIssue(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'validation' || issue.type === 'picklist')
    return issue.message.startsWith('Invalid') ? 'tiene un valor imposible' : issue.message
  if (issue.type === 'strict_object' && issue.expected === 'never') return 'sobra: bórralo o corrige su nombre'
  if (issue.received === 'undefined') return 'falta: agrégalo'
  const expected: Record<string, string> = {
    string: 'un texto (si es un número, ponlo entre comillas)',
    number: 'un número, sin comillas',
    boolean: 'true o false, sin comillas',
    array: 'una lista',
    tuple: 'una lista corta entre corchetes',
    strict_object: 'un grupo de campos',
  }
  return `debe ser ${expected[issue.type] ?? issue.expected}; dice ${issue.received}`
}

/** A fault that a form shows beside a field of the draft. */
export interface FieldFault {
  /** Name of the document; '' for a fault of another file, which has no field. */
  documento: string
  campo: FieldPath
  /** The field in the form's labels, with the names of items: «Candidatas › Ximena Agave › Silueta». */
  donde: string
  /** The fault and its remedy: «está vacío: escribe el texto». */
  remedio: string
}

/** Messages for empty fields, by field kind. */
const EMPTY_MESSAGES: Record<string, string> = {
  photo: 'falta la fotografía: elige una',
  logo: 'falta el logotipo: elige un archivo',
  video: 'falta el video: elige un archivo',
  document: 'falta el documento: elige un archivo',
  number: 'está vacío: escribe un número',
  date: 'está vacía: elige el día',
  moment: 'está vacío: elige el día y la hora',
  time: 'está vacía: elige la hora',
  birthday: 'está vacío: escribe el día y el mes, como «7 de agosto»',
  link: 'está vacío: pega la dirección, con https://',
  tone: 'está vacío: elige un color',
  color: 'está vacío: elige un color',
  candidate: 'está vacío: elige a una candidata',
  choice: 'está vacío: elige una opción',
}

const MISSING_ALT_MESSAGE = 'falta el texto alternativo: describe la fotografía para quien no la ve'

const DESCRIPTORS = new Map<string, FieldDescriptor>()

/** Returns the descriptor of a document, which is derived once in each process. */
export function descriptorOf(document: DocumentName): FieldDescriptor {
  const descriptor = DESCRIPTORS.get(document) ?? describeSchema(DOCUMENT_SCHEMAS[document], undefined, document)
  DESCRIPTORS.set(document, descriptor)
  return descriptor
}

const pathOf = (issue: v.BaseIssue<unknown>): FieldPath =>
  (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))

/** Returns the faults of a draft's document: the first fault of each field, in the order in which the schema finds them. */
export function fieldFaultsOf(document: DocumentName, value: unknown): FieldFault[] {
  const descriptor = descriptorOf(document)
  const { issues = [] } = v.safeParse(DOCUMENT_SCHEMAS[document], value)
  const faultByField = new Map<string, FieldFault>()
  for (const issue of issues) {
    const { path, kind } = leafAt(descriptor, pathOf(issue))
    const key = JSON.stringify(path)
    if (faultByField.has(key)) continue
    const fieldValue = valueAt(value, path)
    const isEmpty = fieldValue === undefined || fieldValue === null || fieldValue === '' || isEmptyPhoto(fieldValue)
    const remedy = (isEmpty && EMPTY_MESSAGES[kind]) || (isEmpty ? 'está vacío: escribe el texto' : explainIssue(issue))
    const message = isAltTextIssue(issue) && !isEmpty ? MISSING_ALT_MESSAGE : remedy
    faultByField.set(key, {
      documento: document,
      campo: path,
      donde: fieldInWords(descriptor, path, value),
      remedio: message,
    })
  }
  return [...faultByField.values()]
}

const isEmptyPhoto = (fieldValue: unknown) =>
  typeof fieldValue === 'object' && fieldValue !== null && 'foto' in fieldValue && fieldValue.foto === ''

const isAltTextIssue = (issue: v.BaseIssue<unknown>) => issue.path?.at(-1)?.key === 'alt'

/**
 * Finds the form field that contains a path. A photograph is one field with its alternative text and focal point. A path that leads
 * to no field is cut where the form ends.
 */
function leafAt(descriptor: FieldDescriptor, path: FieldPath): { path: FieldPath; kind: string } {
  let current = descriptor
  for (const [index, step] of path.entries()) {
    let next: FieldDescriptor | undefined
    if (current.kind === 'list' && typeof step === 'number') next = current.item
    else if (current.kind === 'group') next = current.fields.find(({ name }) => name === step)?.descriptor
    if (!next) return { path: path.slice(0, index), kind: current.kind }
    current = next
  }
  return { path, kind: current.kind }
}

/**
 * Returns a fault whose field is written as for content files, such as «candidatas[6].galeria[1].foto», as a fault of the form.
 * @param values of the edition that has the fault
 */
export function formFaultOf(
  { archivo, campo, remedio }: { archivo: string; campo: string; remedio: string },
  values: Readonly<Record<string, unknown>>,
): FieldFault {
  const document = archivo.slice(archivo.lastIndexOf('/') + 1)
  if (!isDocumentName(document)) return { documento: '', campo: [], donde: '', remedio }
  const steps = campo.split(/[.[\]]+/).filter((step) => step !== '')
  const descriptor = descriptorOf(document)
  const { path } = leafAt(
    descriptor,
    steps.map((step) => (/^\d+$/.test(step) ? Number(step) - 1 : step)),
  )
  const where = fieldInWords(descriptor, path, values[document]) || descriptor.label
  return { documento: document, campo: path, donde: where, remedio }
}

/** Finds contradictions between valid documents: only a winner who is no candidate. */
export function findContradictions(values: Readonly<Record<string, unknown>>): FieldFault[] {
  const winner = valueAt(values['popularidad.yaml'], ['ganadora', 'candidata'])
  const candidates = valueAt(values['candidatas.yaml'], ['candidatas'])
  if (typeof winner !== 'string' || winner === '' || !Array.isArray(candidates)) return []
  if (candidates.some((candidate) => valueAt(candidate, ['id']) === winner)) return []
  const field = ['ganadora', 'candidata']
  const where = fieldInWords(descriptorOf('popularidad.yaml'), field, values['popularidad.yaml'])
  return [
    {
      documento: 'popularidad.yaml',
      campo: field,
      donde: where,
      remedio: 'ya no está entre las candidatas: elige a otra',
    },
  ]
}
