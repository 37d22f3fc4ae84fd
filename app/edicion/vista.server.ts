import type { Database } from '#app/platform/database.server.ts'
import { describe } from './acervo.server.ts'
import { readBorrador } from './borrador.server.ts'
import { type EdicionPuesta, puestaDe } from './contenido.server.ts'
import { imageManifest, manifestOf } from './imagenes.server.ts'
import type { Archivos, Valores } from './lectura.server.ts'
import { checkBorrador } from './mutations.server.ts'
import { type Publicacion, readArchivos, readUltima } from './publicaciones.server.ts'

/** The draft of an edition, as screens show it. */
export interface BorradorVisto {
  puesta: EdicionPuesta
  /** The draft's version; 0 without a draft. */
  version: number
}

/**
 * The edition that would be shown if these documents were published. What is missing or wrong is as it is published now,
 * document by document.
 */
export async function puestaDeValores(db: Database, base: Publicacion, valores: Valores): Promise<EdicionPuesta> {
  const draft = await checkBorrador(db, base, valores)
  const faulty = new Set(draft.fallas.fallas.map(({ archivo }) => archivo))
  const shown =
    faulty.size === 0
      ? draft
      : await checkBorrador(
          db,
          base,
          Object.fromEntries(
            Object.entries(valores).map(([name, valor]) => [name, faulty.has(name) ? base.valores[name] : valor]),
          ),
        )
  const { archivos, fallas } = shown
  const filas = await readArchivos(db, Object.values(archivos))
  const muestra = await imageManifest().catch(() => undefined)
  const documentos = fallas.archivos as Archivos
  return puestaDe(documentos, manifestOf(describe(archivos, filas, muestra), documentos, true).manifest)
}

/** The drafts as this process has them ready for showing. Made once in a process. */
export interface Borradores {
  /** The draft of an edition as screens would show it; undefined where that edition has never been published. */
  ver(anio: number): Promise<BorradorVisto | undefined>
}

export function createBorradores(db: Database): Borradores {
  let kept: { key: string; visto: Promise<BorradorVisto> } | undefined
  return {
    async ver(anio) {
      const base = await readUltima(db, anio)
      if (!base) return undefined
      const { valores, version } = await readBorrador(db, anio, base.valores)
      const key = `${anio} ${base.id} ${version}`
      if (kept?.key !== key) {
        const visto = puestaDeValores(db, base, valores).then((puesta) => ({ puesta, version }))
        kept = { key, visto }
        visto.catch(() => {
          kept = undefined
        })
      }
      return kept.visto
    },
  }
}
