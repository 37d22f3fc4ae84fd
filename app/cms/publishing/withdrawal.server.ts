import { readdir, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { sql } from 'kysely'
import { type Autor, anotar } from '#app/audit/mutations.server.ts'
import { archivoDe, BUCKET, objetoDe } from '#app/cms/media/file-store.server.ts'
import { addressOf, IMAGES_FOLDER } from '#app/cms/media/image-manifest.server.ts'
import { huellaDeRetirada } from '#app/cms/media/stored-objects.server.ts'
import { forgetMiniaturas } from '#app/cms/media/thumbnails.server.ts'
import { filesNamed, type Valores } from '#app/cms/schema/read-content.server.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { anotaSupresion } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { avisa, huellaDe, insertPublicacion, readPreparando, readUltima } from './publications.server.ts'
import { lugaresDe } from './vote-order.ts'

export type HechoDeRetiro = { ok: true; publicacion: number } | { ok: false; reason: 'ocupado' | 'desconocida' }

interface Retiro {
  anio: number
  /** Her id. */
  candidata: string
  /** Whether she has votes, so that the count has to go on naming her. */
  tieneVotos: boolean
}

/**
 * Takes a candidate out of an edition for good: out of every publication, out of the draft, her files with her. What is
 * in the storage and on disks goes right behind (`cleanRetiradas`), and a publication without her takes over. The ledger
 * of deletions has her line with it; the sweep of deletions takes that to where no database is lost with it.
 */
export async function retira(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  { anio, candidata, tieneVotos }: Retiro,
  autor: Autor,
): Promise<HechoDeRetiro> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${CANDADOS.editar})`.execute(tx)
    await sql`select pg_advisory_xact_lock(${CANDADOS.redactar}, ${anio})`.execute(tx)
    if (await readPreparando(tx)) return { ok: false, reason: 'ocupado' }
    const now = clock.now()
    const rows = await tx
      .selectFrom('publicaciones')
      .select(['id', 'valores', 'archivos'])
      .where('edicion', '=', anio)
      .orderBy('id', 'desc')
      .execute()
    const drafts = await tx
      .selectFrom('borradores')
      .select(['documento', 'valor'])
      .where('edicion', '=', anio)
      .execute()
    const borrador = Object.fromEntries(drafts.map(({ documento, valor }) => [documento, valor]))
    const todos = [borrador, ...rows.map(({ valores }) => valores)]
    if (!todos.some((valores) => itemOf(valores, candidata))) return { ok: false, reason: 'desconocida' }
    const without = (valores: Valores) => sinElla(valores, candidata, { tieneVotos, desde: now.toISOString() })
    const rest = todos.map(without)
    // What somebody else is shown with, too, stays.
    const kept = new Set(rest.flatMap((valores) => filesNamed(valores).map(({ ruta }) => ruta)))
    const hers = new Set(
      todos
        .flatMap((valores) => filesNamed(itemOf(valores, candidata)).map(({ ruta }) => ruta))
        .filter((ruta) => !kept.has(ruta)),
    )
    const sumas = new Map<string, string>()
    // What she has in the draft alone was never published, but lies in the storage all the same.
    for (const ruta of hers) {
      const archivo = await archivoDe(tx, ruta)
      if (archivo) sumas.set(ruta, archivo.sha256)
    }
    for (const [place, { id, archivos }] of rows.entries()) {
      const valores = rest[place + 1]!
      for (const ruta of hers) if (archivos[ruta]) sumas.set(ruta, archivos[ruta])
      const left = Object.fromEntries(Object.entries(archivos).filter(([ruta]) => !hers.has(ruta)))
      await tx
        .updateTable('publicaciones')
        .set({ valores: JSON.stringify(valores), archivos: JSON.stringify(left), huella: huellaDe(valores, left) })
        .where('id', '=', id)
        .execute()
    }
    await tx
      .deleteFrom('paginas')
      .where(
        'publicacion',
        'in',
        rows.map(({ id }) => id),
      )
      .execute()
    for (const { documento } of drafts)
      await tx
        .updateTable('borradores')
        .set({ valor: JSON.stringify(rest[0]![documento]), version: sql<number>`nextval('versiones_de_borrador')` })
        .where('edicion', '=', anio)
        .where('documento', '=', documento)
        .execute()
    const used = new Set(
      (await tx.selectFrom('publicaciones').select('archivos').execute()).flatMap(({ archivos }) =>
        Object.values(archivos),
      ),
    )
    const gone = [...sumas].filter(([, sha256]) => !used.has(sha256))
    const nombres = [
      ...gone.map(([ruta, sha256]) => basename(addressOf(ruta, sha256))),
      `tarjeta-candidata-${candidata}`,
    ]
    await tx
      .insertInto('retiradas')
      .values({
        ...{ edicion: anio, candidata, quien: autor.quien, at: now },
        nombres: JSON.stringify(nombres),
        sumas: JSON.stringify(gone.map(([, sha256]) => sha256)),
      })
      .onConflict((one) => one.doNothing())
      .execute()
    const ultima = await readUltima(tx, anio)
    const isActual = await tx
      .selectFrom('ediciones')
      .select('anio')
      .where('actual', 'is', true)
      .where('anio', '=', anio)
      .executeTakeFirst()
    const publicacion =
      ultima && isActual
        ? await insertPublicacion(
            tx,
            {
              ...{ edicion: anio, valores: ultima.valores, archivos: ultima.archivos, origen: 'panel' },
              ...{ quien: autor.quien ?? undefined, nota: 'Se retiró a una candidata' },
            },
            'preparando',
            now,
          )
        : (ultima?.id ?? 0)
    await anotar(tx, autor, { que: 'sitio.retirada', edicion: anio, sobre: candidata })
    await avisa(tx)
    const { clave } = await tx.selectFrom('clave_de_supresiones').select('clave').executeTakeFirstOrThrow()
    await anotaSupresion(tx, huellaDeRetirada(clave, anio, candidata))
    return { ok: true, publicacion }
  })
}

interface Candidatas {
  candidatas: { id: string; nombre?: string }[]
  retiradas?: { id: string; lugar: number; nombre?: string; desde: string }[]
}

const listOf = (valores: Valores) => valores['candidatas.yaml'] as Candidatas | undefined

/** All that the documents say of her; a group of files and words. */
const itemOf = (valores: Valores, id: string) => listOf(valores)?.candidatas?.find((una) => una.id === id)

/** An edition's documents as they are without her. */
function sinElla(valores: Valores, id: string, { tieneVotos, desde }: { tieneVotos: boolean; desde: string }): Valores {
  const list = listOf(valores)
  const item = itemOf(valores, id)
  const popularidad = valores['popularidad.yaml'] as { ganadora?: { candidata: string } } | undefined
  const { ganadora, ...sinGanadora } = popularidad ?? {}
  return {
    ...valores,
    ...(list && item && { 'candidatas.yaml': withoutItem(list, item, { tieneVotos, desde }) }),
    ...(ganadora?.candidata === id && { 'popularidad.yaml': sinGanadora }),
  }
}

function withoutItem(
  { candidatas, retiradas = [], ...rest }: Candidatas,
  item: Candidatas['candidatas'][number],
  { tieneVotos, desde }: { tieneVotos: boolean; desde: string },
): Candidatas {
  const places = lugaresDe(candidatas.length, retiradas)
  const lugar = places[candidatas.indexOf(item)]!
  const stub = { id: item.id, lugar, ...(tieneVotos && item.nombre !== undefined && { nombre: item.nombre }), desde }
  return { ...rest, candidatas: candidatas.filter((una) => una !== item), retiradas: [...retiradas, stub] }
}

/** Ids of those who have been withdrawn from an edition. */
export async function idsRetiradas(db: Database, edicion: number): Promise<string[]> {
  const rows = await db.selectFrom('retiradas').select('candidata').where('edicion', '=', edicion).execute()
  return rows.map(({ candidata }) => candidata)
}

/** Documents without anybody who has been withdrawn from their edition, wherever they come from. */
export async function withoutRetiradas(tx: Database, edicion: number, valores: Valores): Promise<Valores> {
  const rows = await tx.selectFrom('retiradas').select(['candidata', 'at']).where('edicion', '=', edicion).execute()
  if (rows.length === 0) return valores
  const left = rows.reduce(
    (one, { candidata, at }) => sinElla(one, candidata, { tieneVotos: false, desde: at.toISOString() }),
    valores,
  )
  const list = listOf(left)
  if (!list?.candidatas) return left
  // Her place, and her name where votes need it, are what the edition says of her now.
  const known = listOf((await readUltima(tx, edicion))?.valores ?? {})?.retiradas ?? []
  const ids = new Set(known.map(({ id }) => id))
  const retiradas = [...known, ...(list.retiradas ?? []).filter(({ id }) => !ids.has(id))]
  return { ...left, 'candidatas.yaml': { ...list, retiradas } }
}

/**
 * Deletes what this machine and the storage still have of those who were withdrawn. Every process does it for its own
 * copies; the storage is cleaned once.
 */
export async function cleanRetiradas(
  { db, storage, settings }: Pick<Services, 'db' | 'storage' | 'settings'>,
  root = '.',
): Promise<void> {
  const rows = await db.selectFrom('retiradas').select(['edicion', 'candidata', 'nombres', 'sumas', 'limpia']).execute()
  if (rows.length === 0) return
  const files = new Set(rows.flatMap(({ sumas }) => sumas.map((sha256) => `archivo-${sha256}`)))
  const names = new Set(rows.flatMap(({ nombres }) => nombres))
  const isHers = (name: string) => names.has(baseOf(name)) || files.has(name.replace(/\.\w+$/, ''))
  const folder = resolve(root, IMAGES_FOLDER)
  for (const name of await readdir(folder).catch(() => []))
    if (isHers(name)) await rm(join(folder, name), { force: true })
  for (const sha256 of new Set(rows.flatMap(({ sumas }) => sumas))) await forgetMiniaturas({ settings }, sha256)
  for (const { edicion, candidata, nombres, sumas, limpia } of rows) {
    if (limpia) continue
    for (const sha256 of sumas) await storage.remove(BUCKET, objetoDe(sha256))
    for (const nombre of nombres)
      for await (const path of storage.list(BUCKET, `tamanos/${nombre}`))
        if (baseOf(basename(path)) === nombre) await storage.remove(BUCKET, path)
    if (sumas.length > 0) await db.deleteFrom('archivos_de_edicion').where('sha256', 'in', sumas).execute()
    await db
      .updateTable('retiradas')
      .set({ limpia: true })
      .where('edicion', '=', edicion)
      .where('candidata', '=', candidata)
      .execute()
  }
}

/** What a made picture is called without its size; a card without its hash. */
const baseOf = (name: string) =>
  name.startsWith('tarjeta-') ? name.replace(/-[0-9a-f]{10}\.\w+$/, '') : name.replace(/(-\d+)?\.\w+$/, '')
