import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Conserje } from './conserje.ts'
import { type Construccion, nombreDe, readLibro, trasCambio, writeLibro } from './construcciones.ts'
import { type Enlazado, type Objeto, openMando } from './mando.ts'

const run = promisify(execFile)
/** Long after the start's own work. */
const ASIDE_MS = 1_500

interface Options {
  conserje: Conserje
  /** The project's folder, or the package's, that was started. */
  root: string
  dataDir: string
  publicUrl: string
  /** Whether the version that serves is set aside soon after the start, not just when it is asked for. */
  aparta: boolean
  warn(fields: Record<string, unknown>, words: string): void
}

/**
 * Opens the keeper's way in for commands of the terminal: how things stand (`estado`), one upgrade at a time
 * (`reserva`, `cambia`, `rechaza`).
 * @returns closes it
 */
export async function openMandoDelConserje(options: Options): Promise<() => Promise<void>> {
  const { conserje, root, dataDir, publicUrl, aparta, warn } = options
  let holder: Enlazado | undefined
  let setAside: Promise<Construccion | undefined> | undefined

  /** What serves, in a folder that stays as it is: a checkout changes beneath the site. */
  const sirve = (): Promise<Construccion | undefined> => {
    setAside ??= keep().catch((error: unknown) => {
      warn({ err: error }, 'the version that serves could not be set aside')
      return undefined
    })
    return setAside
  }

  async function keep(): Promise<Construccion | undefined> {
    const carpeta = conserje.carpeta()
    const { stdout } = await run(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'scripts/apartar.ts'), carpeta, dataDir],
      { maxBuffer: 1e6 },
    )
    const kept = JSON.parse(stdout) as Construccion | null
    const libro = await readLibro(dataDir)
    if (kept === null) {
      // It serves, and there is no way back to it.
      await writeLibro(dataDir, { desvios: libro.desvios })
      return undefined
    }
    conserje.isAlso(kept.carpeta)
    if (libro.sirve?.id !== kept.id) {
      const { sirve: before, desvios } = libro
      await writeLibro(dataDir, { sirve: kept, ...(before && { antes: before }), desvios })
    } else if (libro.sirve.carpeta !== kept.carpeta) await writeLibro(dataDir, { ...libro, sirve: kept })
    return kept
  }

  async function change(order: Objeto, from: Enlazado): Promise<void> {
    if (holder !== from) throw new Error('Falta reservar el cambio.')
    const nueva = order.construccion as Construccion
    const before = await readLibro(dataDir)
    const falla = await conserje.change(nueva.carpeta, {
      pacienciaMs: Number(order.pacienciaMs),
      vigilaMs: Number(order.vigilaMs),
      dice: (avance) => from.say({ avance }),
      signal: from.gone,
      async manda(carpeta) {
        const isNew = carpeta === nueva.carpeta
        setAside = Promise.resolve(isNew ? nueva : before.sirve)
        await writeLibro(dataDir, isNew ? trasCambio(before, nueva, order.volver === true) : rejected(before, nueva))
      },
    })
    if (!falla) return from.say({ ok: true })
    if (!falla.volvio && !from.gone.aborted) await writeLibro(dataDir, rejected(before, nueva))
    from.say({ ok: false, ...falla })
  }

  const close = await openMando(dataDir, async (order, from) => {
    if (order.orden === 'estado') {
      const serves = await sirve()
      const { antes } = await readLibro(dataDir)
      from.say({ root, publicUrl, pid: process.pid, carpeta: conserje.carpeta(), sirve: serves, antes })
    } else if (order.orden === 'reserva') {
      if (holder) throw new Error('Ya hay otra actualización en marcha. Espera a que termine y repite la orden.')
      holder = from
      from.gone.addEventListener('abort', () => {
        if (holder === from) holder = undefined
      })
      from.say({ ok: true })
    } else if (order.orden === 'rechaza') {
      await writeLibro(dataDir, rejected(await readLibro(dataDir), order.construccion as Construccion))
      from.say({ ok: true })
    } else if (order.orden === 'cambia') await change(order, from)
    else throw new Error(`No hay ninguna orden ${String(order.orden)}.`)
  })
  const soon = aparta ? setTimeout(() => void sirve(), ASIDE_MS).unref() : undefined
  return async () => {
    clearTimeout(soon)
    await close()
  }
}

/** A start of a version that was found wanting starts the one that serves instead. */
function rejected(
  libro: Awaited<ReturnType<typeof readLibro>>,
  nueva: Construccion,
): Awaited<ReturnType<typeof readLibro>> {
  if (!libro.sirve || libro.sirve.id === nueva.id) return libro
  return { ...libro, desvios: { ...libro.desvios, [nueva.id]: { a: libro.sirve, rechazada: true } } }
}

/** What a start says when another version is started than the one that lies in its folder. */
export const avisoDeDesvio = (a: Construccion) =>
  `Arranca la versión ${nombreDe(a)}, como la dejó la última actualización, y no la de esta carpeta. Para probar ésta: npm run actualizar.`
