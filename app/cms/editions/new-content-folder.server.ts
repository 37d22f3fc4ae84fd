import { existsSync } from 'node:fs'
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isScalar, type Node, parseDocument, Scalar, visit } from 'yaml'
import {
  CONTENT_FOLDER,
  PENDING_MARK,
  RECORD_FILE,
  readEdition,
  yamlFieldName,
} from '#app/cms/schema/read-content.server.ts'

/** Fields that change every year, by file; `*` stands for every item of a list or key of a group. */
const YEARLY_FIELDS: Record<string, string[]> = {
  'edicion.yaml': ['feria.inicia', 'feria.termina', 'fechas.registro.*.*', 'fechas.*', 'descripcion'],
  'inicio.yaml': [
    'introduccion',
    'galeria.*.foto',
    'noticias.*.id',
    'noticias.*.titulo',
    'noticias.*.fecha',
    'noticias.*.texto',
    'noticias.*.imagen.foto',
  ],
  'candidatas.yaml': [
    'grupo.foto',
    'grupoPrensa.foto',
    'candidatas.*.antes.*',
    ...['nombre', 'edad', 'origen', 'cumple', 'carrera', 'signo', 'pasatiempos', 'semblanza'].map(
      (field) => `candidatas.*.${field}`,
    ),
    'candidatas.*.silueta.foto',
    'candidatas.*.galeria.*.foto',
    'candidatas.*.prensa.*.foto',
  ],
  'historia.yaml': ['parrafos.*', 'reina.*', 'reina.foto.foto', 'reina.bio.*'],
  'convocatorias.yaml': [
    ...['titulo', 'fecha', 'texto', 'nota', 'imagen.foto', 'documento', 'bases'].map((field) => `anuncios.*.${field}`),
    ...['titulo', 'texto', 'imagen.foto'].map((field) => `anuncios.*.invitacion.${field}`),
    ...['titulo', 'fecha', 'parrafos.*', 'documento'].map((field) => `oficial.boletin.${field}`),
    'oficial.reina.*.foto',
    'oficial.cartel.foto',
  ],
  'programa.yaml': ['entrada', 'coronacion.quien', 'coronacion.nota', 'dias.*.fecha', 'dias.*.titulo'],
  'registro-traje.yaml': ['entrada', 'imagen.foto'],
  'privacidad.yaml': ['vigente'],
}

/** Fields, by file, that are commented out since their value is only known later. */
const AWAITED_FIELDS: Record<string, { field: string; note: string }[]> = {
  'popularidad.yaml': [
    { field: 'ganadora', note: 'Cuando la votación haya cerrado, quita los signos # y escribe a la ganadora:' },
  ],
}

export type ContentFolderResult = { ok: true; folder: string; pendingCount: number } | { ok: false; reason: string }

/**
 * Creates the content folder of a later year from the current one: leaves out the sealed record, advances the year, the pageant's
 * number and the fair's anniversary, replaces the candidates' ids, marks the fields that must change, and comments out the fields
 * that are not known yet. `actual.yaml` stays as it is.
 * @param year of the new edition, after the current one
 * @param root folder that holds content/
 * @returns the folder, and the number of fields that must change; or why no folder was created, in Spanish
 */
export async function createContentFolder(year: number, root = '.'): Promise<ContentFolderResult> {
  const { name, folder, documents, faults } = await readEdition(root)
  const currentCard = documents['edicion.yaml']
  if (faults.length > 0 || !currentCard || name === undefined)
    return { ok: false, reason: 'la edición actual tiene fallas: corrígelas primero (npm run contenido -- revisar)' }
  if (year <= currentCard.anio) return { ok: false, reason: `debe ser un año posterior a ${currentCard.anio}` }
  const contentFolder = join(CONTENT_FOLDER, String(year))
  const destination = resolve(root, contentFolder)
  if (existsSync(destination)) return { ok: false, reason: `ya existe la carpeta ${contentFolder}` }

  // The folder gets its final name once it is complete.
  const partialFolder = `${destination}.parte`
  await rm(partialFolder, { recursive: true, force: true })
  await cp(folder, partialFolder, { recursive: true })
  await rm(join(partialFolder, RECORD_FILE), { force: true })
  const yearsAhead = year - currentCard.anio
  const nextValues = {
    anio: year,
    numero: currentCard.numero + yearsAhead,
    'feria.aniversario': currentCard.feria.aniversario + yearsAhead,
  }
  let pendingCount = 0
  for (const file of new Set([...Object.keys(YEARLY_FIELDS), ...Object.keys(AWAITED_FIELDS)])) {
    const path = join(partialFolder, file)
    const edits = new YamlEdits(await readFile(path, 'utf8'))
    if (file === 'edicion.yaml')
      for (const [field, value] of Object.entries(nextValues)) edits.replace(field, () => String(value))
    // The placeholder ids belong to no candidate yet; they may change until the first vote.
    if (file === 'candidatas.yaml') edits.replace('candidatas.*.id', (index) => `candidata-${index + 1}`)
    for (const pattern of YEARLY_FIELDS[file] ?? []) pendingCount += edits.mark(pattern)
    for (const { field, note } of AWAITED_FIELDS[file] ?? []) edits.commentOut(field, note)
    await writeFile(path, edits.result())
  }
  await rename(partialFolder, destination)
  return { ok: true, folder: contentFolder, pendingCount }
}

/** Edits a YAML text, and keeps its other comments and line breaks. */
class YamlEdits {
  readonly #text: string
  readonly #nodes: { field: string; node: Node; start: number }[] = []
  readonly #edits: { start: number; end: number; text: string }[] = []

  constructor(text: string) {
    this.#text = text
    visit(parseDocument(text), {
      Pair: (_, pair, path) => {
        const node = pair.value as Node | null
        const start = isScalar(pair.key) ? pair.key.range?.[0] : undefined
        if (node?.range && start !== undefined) this.#nodes.push({ field: yamlFieldName([...path, pair]), node, start })
      },
      Scalar: (key, node, path) => {
        if (typeof key === 'number' && node.range)
          this.#nodes.push({ field: yamlFieldName([...path, node], key), node, start: node.range[0] })
      },
    })
  }

  #find(pattern: string) {
    const fieldPattern = new RegExp(
      `^${pattern.replaceAll('.*', '\u0000').replaceAll('.', '\\.').replaceAll('\u0000', '(?:\\[\\d+\\]|\\.\\w+)')}$`,
    )
    return this.#nodes.filter(({ field }) => fieldPattern.test(field))
  }

  #endOfLine(offset: number): number {
    const end = this.#text.indexOf('\n', offset)
    return end === -1 ? this.#text.length : end
  }

  /** Replaces matching fields. @param textOf returns a field's new text from its index among the matching fields */
  replace(pattern: string, textOf: (index: number) => string) {
    for (const [index, { node }] of this.#find(pattern).entries())
      this.#edits.push({ start: node.range![0], end: node.range![1], text: textOf(index) })
  }

  /** Marks the matching scalars; a group gets no mark. @returns number of marked fields */
  mark(pattern: string): number {
    const matchingNodes = this.#find(pattern).filter(({ node }) => isScalar(node))
    for (const { node } of matchingNodes) {
      const isBlock = (node as Scalar).type === Scalar.BLOCK_FOLDED || (node as Scalar).type === Scalar.BLOCK_LITERAL
      const offset = this.#endOfLine(isBlock ? node.range![0] : node.range![1])
      this.#edits.push({ start: offset, end: offset, text: ` # ${PENDING_MARK}` })
    }
    return matchingNodes.length
  }

  commentOut(field: string, note: string) {
    for (const { node, start } of this.#find(field)) {
      const end = this.#endOfLine(node.range![1] - 1)
      const lines = this.#text.slice(start, end).split('\n')
      this.#edits.push({ start, end, text: [`# ${note}`, ...lines.map((line) => `# ${line}`)].join('\n') })
    }
  }

  result(): string {
    return this.#edits
      .toSorted((a, b) => b.start - a.start)
      .reduce((text, { start, end, text: newText }) => text.slice(0, start) + newText + text.slice(end), this.#text)
  }
}
