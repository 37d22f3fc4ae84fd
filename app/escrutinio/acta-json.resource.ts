import { Readable } from 'node:stream'
import { servicesOf } from '#app/platform/services.server.ts'
import { loadEleccion } from '#app/popularidad/data.server.ts'
import type { Route } from './+types/acta-json.resource'
import { actaLines } from './acta.server.ts'

/** The published act, for whoever wants to count again. */
export async function loader({ context }: Route.LoaderArgs) {
  const { services } = servicesOf(context)
  const { edicion } = await loadEleccion()
  const lines = await actaLines(services.db, edicion)
  if (!lines) return new Response('El acta se publica al cerrar la votación.', { status: 404 })
  return new Response(Readable.toWeb(Readable.from(lines, { objectMode: false })) as ReadableStream, {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="acta-senorita-popularidad-${edicion}.json"`,
      // Sealed: it never changes.
      'cache-control': 'public, max-age=3600',
    },
  })
}
