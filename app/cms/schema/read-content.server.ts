import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { isPair, isScalar, isSeq, parseDocument, visit, type YAMLParseError } from 'yaml'
import { type NotInside, openInside, readInside } from '#app/core/storage/confined-read.server.ts'
import { ActualSchema, ARCHIVOS } from './edition-documents.ts'
import { explain } from './faults.ts'
import { typedValue } from './typed-value.ts'

/** Where the content lies, from the project's root. */
export const CONTENT_FOLDER = 'content'

/** The act that comes with an edition, beside its documents: its result, which no other edition inherits. */
export const ACTA = 'acta.json'

/** The largest document of the sample has 30 KB. */
const MAX_DOCUMENT_BYTES = 2 * 1_048_576

/** Something in content/ that has to be mended: which file, which field, what is wrong. */
export interface Falla {
  archivo: string
  campo: string
  remedio: string
}

/** The mark stands as a comment beside everything that a new edition still has to change. */
export const MARCA = 'CAMBIAR'

/** The content cannot be shown; its message lists every fault. */
export class ContentError extends Error {
  override name = 'ContentError'
  readonly fallas: Falla[]
  constructor(fallas: Falla[]) {
    super(`El contenido tiene fallas:\n${fallas.map(describeFalla).join('\n')}`)
    this.fallas = fallas
  }
}

export const describeFalla = ({ archivo, campo, remedio }: Falla) =>
  `  ${archivo}${campo === '' ? '' : ` › ${campo}`}: ${remedio}`

/** What a document says where an edition from before it has none. */
const SIN_ESCRIBIR: Record<string, unknown> = {
  'programa.yaml': { dias: [] },
  'final.yaml': { rondas: [] },
}

/** The documents of an edition as they were written: by name, what the schemas take. */
export type Valores = Record<string, unknown>

/** The documents of an edition without faults. */
export type Archivos = { [Nombre in keyof typeof ARCHIVOS]: v.InferOutput<(typeof ARCHIVOS)[Nombre]> }

/**
 * Reads and checks the current edition, or the one named.
 * @param root folder that holds content/
 * @returns its folder and documents, as written and as checked; every fault (none when all is well); every field that is
 * marked as still to be changed
 */
export async function readEdicion(root = '.', edicion?: number) {
  const found: Found = { fallas: [], pendientes: [] }
  const said = `${CONTENT_FOLDER}/actual.yaml`
  const actual = await readYaml(resolve(root, CONTENT_FOLDER), 'actual.yaml', said, found)
  const name = edicion ?? (actual && checkValue(ActualSchema, actual.value, faultsOf(found, said))?.edicion)
  const folder = resolve(root, CONTENT_FOLDER, String(name ?? ''))
  if (name !== undefined && existsSync(folder))
    return { name, folder, ...(await readFolder(folder, join(CONTENT_FOLDER, String(name)), found)) }
  if (name !== undefined)
    found.fallas.push({
      archivo: 'content/actual.yaml',
      campo: 'edicion',
      remedio: `no existe la carpeta content/${name}: créala o corrige el año`,
    })
  const none: Valores = {}
  return { name, folder, valores: none, archivos: none as Partial<Archivos>, ...found }
}

/**
 * Reads and checks an edition wherever it lies.
 * @param said what the folder is called in what is said of it
 */
export async function readFolder(folder: string, said: string, found: Found = { fallas: [], pendientes: [] }) {
  const archivos: Record<string, unknown> = {}
  const valores: Valores = {}
  for (const [file, schema] of Object.entries(ARCHIVOS)) {
    const archivo = join(said, file)
    const read = await readYaml(folder, file, archivo, found, SIN_ESCRIBIR[file])
    if (!read) continue
    valores[file] = read.value
    archivos[file] = checkValue(schema, read.value, faultsOf(found, archivo))
    for (const { ruta, campo } of filesNamed(archivos[file])) {
      const opened = await openInside(folder, ruta)
      if (typeof opened !== 'string') await opened.close()
      else if (opened === 'missing')
        found.fallas.push({
          archivo,
          campo,
          remedio: `no existe el archivo ${join(said, ruta)}: agrégalo o corrige la ruta`,
        })
      else found.fallas.push({ archivo, campo, remedio: `${join(said, ruta)} ${NOT_READ[opened]}` })
    }
  }
  const edicionLeida = archivos as Partial<Archivos>
  found.fallas.push(...contradictions(said, edicionLeida))
  return { valores, archivos: edicionLeida, ...found }
}

/** Why what stands in a folder is not read, but for what is not there, and how to mend it. */
const NOT_READ: Readonly<Record<Exclude<NotInside, 'missing'>, string>> = {
  link: 'es un enlace, o se llega a él por un enlace: pon en la carpeta el archivo mismo',
  noFile: 'no es un archivo: pon en su lugar el archivo mismo',
  denied: 'no se puede leer: revisa sus permisos',
  large: 'es demasiado grande: redúcelo',
}

/**
 * An edition in a folder as the site may show it: while a mark says that its candidates are those of another year, nobody
 * is announced.
 */
export function anunciada<Leida extends Awaited<ReturnType<typeof readFolder>>>(leida: Leida): Leida {
  const file = 'candidatas.yaml'
  if (!leida.archivos[file] || !leida.pendientes.some(({ archivo }) => archivo.endsWith(file))) return leida
  const nadie = { candidatas: [] }
  return {
    ...leida,
    valores: { ...leida.valores, [file]: nadie },
    archivos: { ...leida.archivos, [file]: v.parse(ARCHIVOS[file], nadie) },
  }
}

const faultsOf =
  ({ fallas }: Found, archivo: string) =>
  (campo: string, remedio: string) => {
    fallas.push({ archivo, campo, remedio })
  }

/**
 * Checks the documents of an edition that were written elsewhere than in files.
 * @param existe whether a file of the edition is there
 */
export function checkValores(valores: Valores, existe: (ruta: string) => boolean) {
  const archivos: Record<string, unknown> = {}
  const fallas: Falla[] = []
  for (const [archivo, schema] of Object.entries(ARCHIVOS)) {
    const fault = (campo: string, remedio: string) => {
      fallas.push({ archivo, campo, remedio })
    }
    // A document that came with a later version is empty until somebody writes it.
    archivos[archivo] = checkValue(schema, valores[archivo] ?? SIN_ESCRIBIR[archivo] ?? {}, fault)
    for (const { ruta, campo } of filesNamed(archivos[archivo]))
      if (!existe(ruta)) fault(campo, `no está el archivo ${ruta}: vuelve a ponerlo`)
  }
  fallas.push(...contradictions('', archivos as Partial<Archivos>))
  return { archivos: archivos as Partial<Archivos>, fallas }
}

/** Faults between files, each of which is well by itself. */
function contradictions(said: string, archivos: Partial<Archivos>): Falla[] {
  const ganadora = archivos['popularidad.yaml']?.ganadora?.candidata
  const ids = archivos['candidatas.yaml']?.candidatas.map(({ id }) => id)
  if (!ganadora || !ids || ids.includes(ganadora)) return []
  const remedio = `no es ninguna de las candidatas: escribe su id como está en candidatas.yaml (${ids.join(', ')})`
  return [{ archivo: join(said, 'popularidad.yaml'), campo: 'ganadora.candidata', remedio }]
}

type Found = Record<'fallas' | 'pendientes', Falla[]>

/**
 * @param without what the document says where there is no such file
 * @returns undefined where it cannot be read, which is told
 */
async function readYaml(
  folder: string,
  file: string,
  archivo: string,
  found: Found,
  without?: unknown,
): Promise<{ value: unknown } | undefined> {
  const fault = faultsOf(found, archivo)
  const read = await readInside(folder, file, MAX_DOCUMENT_BYTES)
  if (read === 'missing' && without !== undefined) return { value: without }
  if (typeof read === 'string') {
    fault('', read === 'missing' ? 'falta el archivo: créalo a partir del de otra edición' : NOT_READ[read])
    return undefined
  }
  const document = parseDocument(read.toString())
  const [error] = document.errors as YAMLParseError[]
  if (error) {
    const line = error.linePos?.[0].line ?? '?'
    fault('', `no se entiende en la línea ${line}: revisa sangrías, comillas y dos puntos`)
    return undefined
  }
  visit(document, {
    Scalar: (key, { comment }, path) => {
      if (!comment?.includes(MARCA)) return
      const campo = fieldName(path, key)
      const remedio = campo.endsWith('foto')
        ? `es la fotografía de otra edición: pon la nueva, corrige «alt» y «foco», y borra la marca # ${MARCA}`
        : `dice lo de otra edición: corrígelo, y borra la marca # ${MARCA}`
      found.pendientes.push({ archivo, campo, remedio })
    },
  })
  try {
    return { value: typedValue(document.toJS()) }
  } catch {
    // The library unfolds what repeats itself up to a bound.
    fault('', 'se repite a sí mismo (&, *) sin fin: escribe cada parte una sola vez')
    return undefined
  }
}

/** @returns the value as the schema leaves it; undefined where it has faults, each of which is told */
function checkValue<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  fault: (campo: string, remedio: string) => void,
): v.InferOutput<Schema> | undefined {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  for (const issue of result.issues) fault(asField(v.getDotPath(issue) ?? ''), explain(issue))
  return undefined
}

/** «candidatas.0.nombre» → «candidatas[1].nombre»: people count from one. */
const asField = (path: string) => path.replace(/(^|\.)(\d+)(?=\.|$)/g, (_, _dot, index) => `[${Number(index) + 1}]`)

/** The name of the field at which a visit of a YAML document stands. */
export function fieldName(ancestors: readonly unknown[], key?: unknown): string {
  const steps: string[] = []
  for (const [at, node] of ancestors.entries()) {
    if (isPair(node)) steps.push(isScalar(node.key) ? String(node.key.value) : '')
    const parent = ancestors[at - 1]
    if (isSeq(parent)) steps.push(String(parent.items.indexOf(node)))
  }
  const last = ancestors.at(-1)
  if (typeof key === 'number' && isSeq(last)) steps.push(String(key))
  return asField(steps.join('.'))
}

/** Whether a text of the content names a file of the edition. */
export const isFileName = (texto: string) =>
  /^[\w-]+\/[\w./-]+\.(jpe?g|png|svg|webm|mp4|vtt|docx|pdf)$/.test(texto) && !texto.split('/').includes('..')

/** Every value of the content that names a file of the edition, and the field where it stands. */
export function filesNamed(value: unknown, campo = ''): { ruta: string; campo: string }[] {
  if (typeof value === 'string') {
    return isFileName(value) ? [{ ruta: value, campo }] : []
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => filesNamed(item, `${campo}[${i + 1}]`))
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => filesNamed(item, campo === '' ? key : `${campo}.${key}`))
  }
  return []
}

/** Whether a field that names a file shows it as a photograph, in all its sizes; a sponsor's mark goes as it is. */
export const esFotografia = (campo: string) => /(^|\.)foto$/.test(campo)

/** The fields of the content that hold what the press pages offer. */
const CAMPOS_DE_PRENSA: Record<string, RegExp> = {
  'candidatas.yaml': /^(grupoPrensa|candidatas\[\d+\]\.prensa)\b/,
  'convocatorias.yaml': /^oficial\b/,
  'maestros.yaml': /\bretratoBn\b/,
}

/** Files of the edition that the press pages offer and no other screen shows. */
export function soloPrensa(archivos: Partial<Archivos>): string[] {
  const named = Object.entries(archivos).flatMap(([archivo, contenido]) =>
    filesNamed(contenido).map(({ ruta, campo }) => ({ ruta, prensa: CAMPOS_DE_PRENSA[archivo]?.test(campo) ?? false })),
  )
  const publicas = new Set(named.filter(({ prensa }) => !prensa).map(({ ruta }) => ruta))
  return [...new Set(named.map(({ ruta }) => ruta))].filter((ruta) => !publicas.has(ruta))
}
