import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { parse, YAMLParseError } from 'yaml'
import { ActualSchema, ARCHIVOS } from './schema.ts'

/** Where the content lies, from the project's root. */
export const CONTENT_FOLDER = 'content'

/** Something in content/ that has to be mended: which file, which field, what is wrong. */
export interface Falla {
  archivo: string
  campo: string
  remedio: string
}

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

type Archivos = { [Nombre in keyof typeof ARCHIVOS]: v.InferOutput<(typeof ARCHIVOS)[Nombre]> }

/**
 * Reads and checks the current edition, or the one named.
 * @param root folder that holds content/
 * @returns its folder and files; every fault found, none when all is well
 */
export async function readEdicion(root = '.', edicion?: number) {
  const fallas: Falla[] = []
  const actual = await readYaml(root, 'actual.yaml', ActualSchema, fallas)
  const name = edicion ?? actual?.edicion
  const folder = resolve(root, CONTENT_FOLDER, String(name ?? ''))
  const archivos: Record<string, unknown> = {}
  if (name !== undefined && !existsSync(folder)) {
    fallas.push({
      archivo: 'content/actual.yaml',
      campo: 'edicion',
      remedio: `no existe la carpeta content/${name}: créala o corrige el año`,
    })
  } else if (name !== undefined) {
    for (const [file, schema] of Object.entries(ARCHIVOS)) {
      archivos[file] = await readYaml(root, join(String(name), file), schema, fallas)
      for (const { ruta, campo } of filesNamed(archivos[file])) {
        if (!existsSync(join(folder, ruta))) {
          fallas.push({
            archivo: join(CONTENT_FOLDER, String(name), file),
            campo,
            remedio: `no existe el archivo content/${name}/${ruta}: agrégalo o corrige la ruta`,
          })
        }
      }
    }
  }
  const edicionLeida = archivos as Partial<Archivos>
  fallas.push(...contradictions(String(name), edicionLeida))
  return { name, folder, archivos: edicionLeida, fallas }
}

/** What each file says well, and not with the others. */
function contradictions(edicion: string, archivos: Partial<Archivos>): Falla[] {
  const ganadora = archivos['popularidad.yaml']?.ganadora.candidata
  const nombres = archivos['candidatas.yaml']?.candidatas.map(({ nombre }) => nombre)
  if (!ganadora || !nombres || nombres.includes(ganadora)) return []
  const remedio = `no es ninguna de las candidatas: escribe su nombre como está en candidatas.yaml (${nombres.join(', ')})`
  return [{ archivo: join(CONTENT_FOLDER, edicion, 'popularidad.yaml'), campo: 'ganadora.candidata', remedio }]
}

async function readYaml<Schema extends v.GenericSchema>(root: string, path: string, schema: Schema, fallas: Falla[]) {
  const archivo = join(CONTENT_FOLDER, path)
  let data: unknown
  try {
    data = parse(await readFile(resolve(root, archivo), 'utf8'))
  } catch (error) {
    const remedio =
      error instanceof YAMLParseError
        ? `no se entiende en la línea ${error.linePos?.[0].line ?? '?'}: revisa sangrías, comillas y dos puntos`
        : 'falta el archivo: créalo a partir del de otra edición'
    fallas.push({ archivo, campo: '', remedio })
    return undefined
  }
  const result = v.safeParse(schema, data)
  if (result.success) return result.output
  for (const issue of result.issues) {
    const campo = v.getDotPath(issue) ?? ''
    fallas.push({
      archivo,
      campo: campo.replace(/(^|\.)(\d+)(?=\.|$)/g, (_, _dot, i) => `[${Number(i) + 1}]`),
      remedio: explain(issue),
    })
  }
  return undefined
}

function explain(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'validation')
    return issue.message.startsWith('Invalid') ? 'tiene un valor imposible' : issue.message
  if (issue.type === 'strict_object' && issue.expected === 'never') return 'sobra: bórralo o corrige su nombre'
  if (issue.received === 'undefined') return 'falta: agrégalo'
  const esperado: Record<string, string> = {
    string: 'un texto (si es un número, ponlo entre comillas)',
    number: 'un número, sin comillas',
    array: 'una lista',
    tuple: 'una lista corta entre corchetes',
    strict_object: 'un grupo de campos',
  }
  return `debe ser ${esperado[issue.type] ?? issue.expected}; dice ${issue.received}`
}

/** Whether a text of the content names a file of the edition. */
export const isFileName = (texto: string) => /^[\w-]+\/[\w./-]+\.(jpe?g|png|svg|webm|mp4|vtt|docx)$/.test(texto)

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
