import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { isPair, isScalar, isSeq, parseDocument, visit, type YAMLParseError } from 'yaml'
import { openConfined, type ReadRefusal, readConfined } from '#app/core/storage/confined-read.server.ts'
import { CurrentEditionSchema, DOCUMENT_SCHEMAS } from './edition-documents.ts'
import { explainIssue } from './faults.ts'
import { typedValue } from './typed-value.ts'

/** Folder of the content, in the project's root. */
export const CONTENT_FOLDER = 'content'

/** File of an edition's sealed record in its folder; a new edition's folder does not inherit it. */
export const RECORD_FILE = 'acta.json'

/** Maximum size of a document; the largest one of the sample has 16 KB. */
const MAX_DOCUMENT_BYTES = 2 * 1_048_576

/** A fault of a document, in content/ or in a draft: the file, the field ('' for the whole file), the fault with its remedy. */
export interface ContentFault {
  archivo: string
  campo: string
  remedio: string
}

/** Comment in the YAML beside every field that a new edition still has to change. */
export const PENDING_MARK = 'CAMBIAR'

/** Thrown for content that cannot be displayed; its message lists every fault. */
export class ContentError extends Error {
  override name = 'ContentError'
  readonly faults: ContentFault[]
  constructor(faults: ContentFault[]) {
    super(`El contenido tiene fallas:\n${faults.map(describeContentFault).join('\n')}`)
    this.faults = faults
  }
}

export const describeContentFault = ({ archivo, campo, remedio }: ContentFault) =>
  `  ${archivo}${campo === '' ? '' : ` › ${campo}`}: ${remedio}`

/** Values of documents that older editions lack. */
const DEFAULT_DOCUMENTS: Record<string, unknown> = {
  'programa.yaml': { dias: [] },
  'final.yaml': { rondas: [] },
}

/** The documents of an edition by name, as written: the input of the schemas. */
export type EditionValues = Record<string, unknown>

/** The documents of an edition without faults: the schemas' output. */
export type EditionDocuments = {
  [Name in keyof typeof DOCUMENT_SCHEMAS]: v.InferOutput<(typeof DOCUMENT_SCHEMAS)[Name]>
}

/**
 * Reads and checks the current edition, or the given one.
 * @param root folder that holds content/
 * @returns `name`, the year, undefined if actual.yaml has faults; the path of its folder; `values`, the documents as written;
 * `documents`, those that fit their schemas; all faults; and `pendingFields`, those that PENDING_MARK says are still to be changed
 */
export async function readEdition(root = '.', edition?: number) {
  const findings: Findings = { faults: [], pendingFields: [] }
  const displayPath = `${CONTENT_FOLDER}/actual.yaml`
  const currentEdition = await readYaml(resolve(root, CONTENT_FOLDER), 'actual.yaml', displayPath, findings)
  const name =
    edition ??
    (currentEdition &&
      checkValue(CurrentEditionSchema, currentEdition.value, faultReporterFor(findings, displayPath))?.edicion)
  const folder = resolve(root, CONTENT_FOLDER, String(name ?? ''))
  if (name !== undefined && existsSync(folder))
    return { name, folder, ...(await readEditionFolder(folder, join(CONTENT_FOLDER, String(name)), findings)) }
  if (name !== undefined)
    findings.faults.push({
      archivo: 'content/actual.yaml',
      campo: 'edicion',
      remedio: `no existe la carpeta content/${name}: créala o corrige el año`,
    })
  const noValues: EditionValues = {}
  return { name, folder, values: noValues, documents: noValues as Partial<EditionDocuments>, ...findings }
}

/** Reads and checks an edition in any folder. @param displayPath name of the folder in the faults */
export async function readEditionFolder(
  folder: string,
  displayPath: string,
  findings: Findings = { faults: [], pendingFields: [] },
) {
  const documents: Record<string, unknown> = {}
  const values: EditionValues = {}
  for (const [file, schema] of Object.entries(DOCUMENT_SCHEMAS)) {
    const documentName = join(displayPath, file)
    const readResult = await readYaml(folder, file, documentName, findings, DEFAULT_DOCUMENTS[file])
    if (!readResult) continue
    values[file] = readResult.value
    documents[file] = checkValue(schema, readResult.value, faultReporterFor(findings, documentName))
    for (const { path, field } of listNamedFiles(documents[file])) {
      const openResult = await openConfined(folder, path)
      if (typeof openResult !== 'string') await openResult.close()
      else if (openResult === 'missing')
        findings.faults.push({
          archivo: documentName,
          campo: field,
          remedio: `no existe el archivo ${join(displayPath, path)}: agrégalo o corrige la ruta`,
        })
      else
        findings.faults.push({
          archivo: documentName,
          campo: field,
          remedio: `${join(displayPath, path)} ${UNREADABLE_MESSAGES[openResult]}`,
        })
    }
  }
  const documentsRead = documents as Partial<EditionDocuments>
  findings.faults.push(...findDocumentContradictions(displayPath, documentsRead))
  return { values, documents: documentsRead, ...findings }
}

/** Why an existing file is not read, with the remedy. */
const UNREADABLE_MESSAGES: Readonly<Record<Exclude<ReadRefusal, 'missing'>, string>> = {
  outside: 'es un enlace, o se llega a él por un enlace: pon en la carpeta el archivo mismo',
  notAFile: 'no es un archivo: pon en su lugar el archivo mismo',
  denied: 'no se puede leer: revisa sus permisos',
  large: 'es demasiado grande: redúcelo',
}

/** Removes the candidates from an edition while PENDING_MARK shows that they are still another year's candidates. */
export function withoutPendingCandidates<LoadedContent extends Awaited<ReturnType<typeof readEditionFolder>>>(
  loadedContent: LoadedContent,
): LoadedContent {
  const file = 'candidatas.yaml'
  if (!loadedContent.documents[file] || !loadedContent.pendingFields.some(({ archivo }) => archivo.endsWith(file)))
    return loadedContent
  const noCandidates = { candidatas: [] }
  return {
    ...loadedContent,
    values: { ...loadedContent.values, [file]: noCandidates },
    documents: { ...loadedContent.documents, [file]: v.parse(DOCUMENT_SCHEMAS[file], noCandidates) },
  }
}

const faultReporterFor =
  ({ faults }: Findings, documentName: string) =>
  (field: string, remedy: string) => {
    faults.push({ archivo: documentName, campo: field, remedio: remedy })
  }

/**
 * Checks the documents of an edition that do not come from files.
 * @param exists returns whether the edition has a file
 */
export function checkDocuments(values: EditionValues, exists: (path: string) => boolean) {
  const documents: Record<string, unknown> = {}
  const faults: ContentFault[] = []
  for (const [documentName, schema] of Object.entries(DOCUMENT_SCHEMAS)) {
    const reportFault = (field: string, remedy: string) => {
      faults.push({ archivo: documentName, campo: field, remedio: remedy })
    }
    // A document that the site's version has added is empty until it is edited.
    documents[documentName] = checkValue(
      schema,
      values[documentName] ?? DEFAULT_DOCUMENTS[documentName] ?? {},
      reportFault,
    )
    for (const { path, field } of listNamedFiles(documents[documentName]))
      if (!exists(path)) reportFault(field, `no está el archivo ${path}: vuelve a ponerlo`)
  }
  faults.push(...findDocumentContradictions('', documents as Partial<EditionDocuments>))
  return { documents: documents as Partial<EditionDocuments>, faults }
}

/** Finds a winner who is no candidate, and says so in the words of content files (`findContradictions`: of the form). */
function findDocumentContradictions(displayPath: string, documents: Partial<EditionDocuments>): ContentFault[] {
  const winner = documents['popularidad.yaml']?.ganadora?.candidata
  const ids = documents['candidatas.yaml']?.candidatas.map(({ id }) => id)
  if (!winner || !ids || ids.includes(winner)) return []
  const remedy = `no es ninguna de las candidatas: escribe su id como está en candidatas.yaml (${ids.join(', ')})`
  return [{ archivo: join(displayPath, 'popularidad.yaml'), campo: 'ganadora.candidata', remedio: remedy }]
}

interface Findings {
  faults: ContentFault[]
  /** Fields that have PENDING_MARK. */
  pendingFields: ContentFault[]
}

/**
 * Reads a YAML document, and adds its faults and pending fields to `findings`.
 * @param defaultValue value for a missing file; without a default a missing file is a fault
 * @returns the value of the document, or the default value; undefined if the file is missing, unreadable or not usable YAML
 */
async function readYaml(
  folder: string,
  file: string,
  documentName: string,
  findings: Findings,
  defaultValue?: unknown,
): Promise<{ value: unknown } | undefined> {
  const reportFault = faultReporterFor(findings, documentName)
  const readResult = await readConfined(folder, file, MAX_DOCUMENT_BYTES)
  if (readResult === 'missing' && defaultValue !== undefined) return { value: defaultValue }
  if (typeof readResult === 'string') {
    reportFault(
      '',
      readResult === 'missing'
        ? 'falta el archivo: créalo a partir del de otra edición'
        : UNREADABLE_MESSAGES[readResult],
    )
    return undefined
  }
  const document = parseDocument(readResult.toString())
  const [error] = document.errors as YAMLParseError[]
  if (error) {
    const line = error.linePos?.[0].line ?? '?'
    reportFault('', `no se entiende en la línea ${line}: revisa sangrías, comillas y dos puntos`)
    return undefined
  }
  visit(document, {
    Scalar: (key, { comment }, path) => {
      if (!comment?.includes(PENDING_MARK)) return
      const field = yamlFieldName(path, key)
      const remedy = field.endsWith('foto')
        ? `es la fotografía de otra edición: pon la nueva, corrige «alt» y «foco», y borra la marca # ${PENDING_MARK}`
        : `dice lo de otra edición: corrígelo, y borra la marca # ${PENDING_MARK}`
      findings.pendingFields.push({ archivo: documentName, campo: field, remedio: remedy })
    },
  })
  try {
    return { value: typedValue(document.toJS()) }
  } catch {
    // The YAML library throws if aliases expand beyond `maxAliasCount`.
    reportFault('', 'se repite a sí mismo (&, *) sin fin: escribe cada parte una sola vez')
    return undefined
  }
}

/** Returns the schema's output; undefined for a value with faults, after reporting them. */
function checkValue<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  reportFault: (field: string, remedy: string) => void,
): v.InferOutput<Schema> | undefined {
  const parseResult = v.safeParse(schema, value)
  if (parseResult.success) return parseResult.output
  for (const issue of parseResult.issues)
    reportFault(withIndexesFromOne(v.getDotPath(issue) ?? ''), explainIssue(issue))
  return undefined
}

/** Returns «candidatas[1].nombre» for «candidatas.0.nombre», since people count from one. */
const withIndexesFromOne = (path: string) =>
  path.replace(/(^|\.)(\d+)(?=\.|$)/g, (_, _dot, index) => `[${Number(index) + 1}]`)

/** Returns the name of the field at a node of a YAML `visit`. */
export function yamlFieldName(ancestors: readonly unknown[], key?: unknown): string {
  const steps: string[] = []
  for (const [index, node] of ancestors.entries()) {
    if (isPair(node)) steps.push(isScalar(node.key) ? String(node.key.value) : '')
    const parent = ancestors[index - 1]
    if (isSeq(parent)) steps.push(String(parent.items.indexOf(node)))
  }
  const lastAncestor = ancestors.at(-1)
  if (typeof key === 'number' && isSeq(lastAncestor)) steps.push(String(key))
  return withIndexesFromOne(steps.join('.'))
}

/** Returns whether a text of the content looks like the path of a file of the edition. */
export const isFilePath = (text: string) =>
  /^[\w-]+\/[\w./-]+\.(jpe?g|png|svg|webm|mp4|vtt|docx|pdf)$/.test(text) && !text.split('/').includes('..')

/** Lists the files that a value of the content names, with their fields. */
export function listNamedFiles(value: unknown, field = ''): { path: string; field: string }[] {
  if (typeof value === 'string') {
    return isFilePath(value) ? [{ path: value, field }] : []
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => listNamedFiles(item, `${field}[${index + 1}]`))
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => listNamedFiles(item, field === '' ? key : `${field}.${key}`))
  }
  return []
}

/** Returns whether a field's file is a photograph, which is served in all its sizes; other files are served as they are. */
export const isPhotoField = (field: string) => /(^|\.)foto$/.test(field)

/** Fields, by document, whose files the press pages offer. */
const PRESS_FIELDS: Record<string, RegExp> = {
  'candidatas.yaml': /^(grupoPrensa|candidatas\[\d+\]\.prensa)\b/,
  'convocatorias.yaml': /^oficial\b/,
  'maestros.yaml': /\bretratoBn\b/,
}

/** Returns the files of the edition that the press pages offer and no other screen shows. */
export function listPressOnlyFiles(documents: Partial<EditionDocuments>): string[] {
  const namedFiles = Object.entries(documents).flatMap(([documentName, content]) =>
    listNamedFiles(content).map(({ path, field }) => ({
      path,
      isForPress: PRESS_FIELDS[documentName]?.test(field) ?? false,
    })),
  )
  const publicPaths = new Set(namedFiles.filter(({ isForPress }) => !isForPress).map(({ path }) => path))
  return [...new Set(namedFiles.map(({ path }) => path))].filter((path) => !publicPaths.has(path))
}
