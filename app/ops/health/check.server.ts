import type { Database } from '#app/core/db/database.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import type { Diagnostico } from './schema.ts'

/** What a check of the site works with. */
export interface Examinado {
  settings: Settings
  /** undefined: it cannot be reached, and `sinBase` says why. */
  db: Database | undefined
  sinBase?: string | undefined
  /** The project’s root. */
  raiz: string
  /** Whether the site is running now. */
  enMarcha: boolean
  /** The machine's clock. */
  ahora: Date
}

/** What a check found. */
export type Hallazgo = Pick<Diagnostico, 'nivel' | 'dice' | 'remedio'>

/** One check: its owner's name, and what it looks at. */
export interface Examen {
  de: string
  titulo: string
  /** It asks another machine, so the watch repeats it less often. */
  fuera?: true
  mira(examinado: Examinado): Promise<Hallazgo>
}

/** A check that needs the database. */
export type ConBase = Omit<Examinado, 'db'> & { db: Database }

export const bien = (dice: string): Hallazgo => ({ nivel: 'ok', dice })
export const aviso = (dice: string, remedio: string): Hallazgo => ({ nivel: 'aviso', dice, remedio })
export const falla = (dice: string, remedio: string): Hallazgo => ({ nivel: 'falla', dice, remedio })

/** Before the first start. */
export const sinCarpeta = () => aviso('Todavía no hay carpeta de datos.', 'El primer arranque la hace: npm start.')

/** Answers for a check where the database is away: what cannot be seen is not well. */
export const conBase =
  (mira: (examinado: ConBase) => Promise<Hallazgo>) =>
  async (examinado: Examinado): Promise<Hallazgo> => {
    const { db } = examinado
    return db
      ? mira({ ...examinado, db })
      : aviso('No se pudo ver: la base de datos no responde.', 'Compón primero la base de datos y vuelve a preguntar.')
  }

const TIMEOUT_MS = 8_000

/** Runs checks side by side, each with a timeout; one that throws is a fault of what it looks at. */
export const examinar = (examenes: readonly Examen[], examinado: Examinado): Promise<Diagnostico[]> =>
  Promise.all(
    examenes.map(async ({ de, titulo, mira }) => {
      const late = new Promise<Hallazgo>((resolve) => {
        setTimeout(
          () => resolve(falla(`No respondió en ${TIMEOUT_MS / 1_000} segundos.`, REMEDIO_GENERAL)),
          TIMEOUT_MS,
        ).unref()
      })
      const found = Promise.resolve()
        .then(() => mira(examinado))
        .catch((error: unknown) => falla(`No se pudo ver (${motivoDe(error)}).`, REMEDIO_GENERAL))
      return { de, titulo, ...(await Promise.race([found, late])) }
    }),
  )

const REMEDIO_GENERAL = 'Avisa a quien cuida el servidor; en docs/operacion.md está qué hacer.'

/** Why something could not be done, without names or addresses of people: a code, or the kind of fault. */
export function motivoDe(error: unknown): string {
  const { code, cause, name, responseCode } = Object(error) as Record<string, unknown>
  if (typeof responseCode === 'number') return `${responseCode}`
  if (typeof code === 'string' || typeof code === 'number') return `${code}`
  return cause === undefined ? String(name ?? 'falla') : motivoDe(cause)
}
