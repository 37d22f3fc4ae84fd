import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { cuentasOf } from '#app/cuentas/guards.server.ts'
import { anotar } from '#app/cuentas/mutations.server.ts'
import { may } from '#app/cuentas/rules.ts'
import type { Direccion } from '#app/platform/direccion.server.ts'
import { SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO, unlessFull } from '#app/platform/espacio.server.ts'
import { sentence } from '#app/platform/origen.server.ts'
import { type Services, servicesOf } from '#app/platform/services.server.ts'
import type { TipoInscripcion } from './clases.ts'
import { FORMAS } from './formas.ts'

/** What is found under an address, and not yet opened. */
interface Hallado {
  /** What the log calls it: a path names the person. */
  sobre: string
  /** @returns undefined when it has gone meanwhile */
  open(request: Request): Promise<Response | undefined>
}

/**
 * A document of an entry (also one that another took the place of), or its metadata, for somebody who may see it: who that is, the caller asks.
 * @param ruta what follows /archivos/ in its address
 * @returns undefined when no registration has it
 */
export async function findDocumento({ db, storage }: Services, ruta: string): Promise<Hallado | undefined> {
  const named = partsOf(ruta)
  if (named === undefined) return undefined
  const { tipo, bucket, path } = named
  const { rows } = await sql<{ sobre: string }>`
    select 'documento ' || documentos.id || ', inscripcion ' || inscripcion_id as sobre
    from documentos join inscripciones on inscripciones.id = inscripcion_id where tipo = ${tipo} and path = ${path}
    union all select 'metadatos, inscripcion ' || inscripcion_id from ${sql.table(FORMAS[tipo].tabla)} where metadata_path = ${path}`.execute(
    db,
  )
  const object = rows[0] ? await storage.head(bucket, path) : undefined
  if (!object) return undefined
  const headers = {
    'content-type': object.contentType,
    'content-length': String(object.size),
    'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(path.split('/').at(-1)!)}`,
    'cache-control': 'private, no-store',
  }
  return {
    sobre: rows[0]!.sobre,
    async open({ method }) {
      if (method === 'HEAD') return new Response(null, { headers })
      const body = await storage.get(bucket, path)
      return body && new Response(Readable.toWeb(body) as ReadableStream, { headers })
    },
  }
}

function partsOf(ruta: string): { tipo: TipoInscripcion; bucket: string; path: string } | undefined {
  try {
    const [bucket, ...rest] = ruta.split('/').map(decodeURIComponent)
    const forma = Object.values(FORMAS).find((one) => one.bucket === bucket)
    const path = rest.join('/')
    // PostgreSQL takes no NUL in a text.
    return forma && !path.includes('\0') ? { tipo: forma.tipo, bucket: forma.bucket, path } : undefined
  } catch {
    return undefined
  }
}

const PRIVADO = { 'cache-control': 'private, no-store' }

/** Documents and metadata as they came, under the addresses that the metadata names (D15): for organisers alone. */
export const archivos: Direccion = {
  paths: ['/archivos/*'],
  methods: ['ANY'],
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    const cuentas = cuentasOf(context)
    const sesion = await cuentas.getSession(request)
    if (!sesion || !may(sesion.rol, 'archivos') || !['GET', 'HEAD'].includes(request.method))
      return sentence('Este documento sólo lo abre la organización, con su sesión iniciada.', 403, PRIVADO)
    const found = await findDocumento(services, new URL(request.url).pathname.slice('/archivos/'.length))
    const gone = () => sentence('Ese documento no existe.', 404, PRIVADO)
    if (!found) return gone()
    const desde = cuentas.traceOf(facts.client)
    const noted = await unlessFull(services, async () => {
      await anotar(services.db, { que: 'documento.original', quien: sesion.userId, sobre: found.sobre, desde })
      return { ok: true as const }
    })
    if (!noted.ok) return sentence(SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO, PRIVADO)
    return (await found.open(request)) ?? gone()
  },
}
