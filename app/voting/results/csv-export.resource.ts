import { cuentasOf } from '#app/accounts/guards.server.ts'
import { abrirPuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { lineaCsv } from '#app/core/text/csv.ts'
import { fechaYHora } from '#app/core/time/mexico-dates.ts'
import { loadEleccion } from '#app/voting/election/data.server.ts'
import { listContadas, readHoras, readResultados } from '#app/voting/tally/data.server.ts'
import { OTROS } from '#app/voting/tally/schema.ts'
import type { Route } from './+types/csv-export.resource'

const PRIVATE = { 'cache-control': 'private, no-store' }

/** /misspopularidad-resultados/resultados.csv and horas.csv, for spreadsheets. */
export async function loader({ request, context, params }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'resultados')
  if (!entrada.abierta) return new Response('Sólo para la organización.', { status: 403, headers: PRIVATE })
  const { services, facts } = servicesOf(context)
  const eleccion = await loadEleccion()
  const rows =
    params.tabla === 'resultados.csv'
      ? await totals(services, eleccion)
      : params.tabla === 'horas.csv'
        ? await hours(services, eleccion)
        : undefined
  if (!rows) return new Response('Ese archivo no existe.', { status: 404, headers: PRIVATE })
  const autor = { quien: entrada.sesion.userId, desde: cuentasOf(context).traceOf(facts.client) }
  await anotar(services.db, autor, { que: 'voto.exportado', tabla: params.tabla })
  // The byte order mark tells spreadsheets that the text is UTF-8.
  const text = `\ufeff${rows.map(lineaCsv).join('')}`
  return new Response(text, {
    headers: {
      ...PRIVATE,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="senorita-popularidad-${eleccion.edicion}-${params.tabla}"`,
    },
  })
}

type Args = Parameters<typeof readResultados>

async function totals(services: Args[0], eleccion: Args[1]) {
  const { filas, otros, total, anulados } = await readResultados(services, eleccion)
  return [
    ['Candidata', 'Votos', 'Porcentaje'],
    ...filas.map(({ nombre, votos, porcentaje }) => [nombre, votos, porcentaje]),
    [OTROS, otros, ''],
    ['Total', total, ''],
    ['Anulados', anulados, ''],
  ]
}

async function hours({ db }: Args[0], eleccion: Args[1]) {
  return [
    ['Hora (Ciudad de México)', ...(await listContadas(db, eleccion)).map(({ nombre }) => nombre), OTROS],
    ...(await readHoras(db, eleccion)).map(({ hora, votos }) => [fechaYHora(new Date(hora)), ...votos]),
  ]
}
