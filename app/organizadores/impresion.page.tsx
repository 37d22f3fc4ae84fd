import { anotar } from '#app/bitacora/mutations.server.ts'
import { abrirPuerta } from '#app/cuentas/puerta.server.ts'
import { cabeza } from '#app/edicion/cabeza.ts'
import { loadFicha } from '#app/edicion/contenido.server.ts'
import { claseOf } from '#app/inscripciones/clases.ts'
import { datosDeFicha } from '#app/inscripciones/datos.ts'
import { esImagen, listArchivos } from '#app/inscripciones/documentos.server.ts'
import { type InscripcionEntera, porTandas } from '#app/inscripciones/exportes.server.ts'
import { FORMAS } from '#app/inscripciones/formas.ts'
import type { DatoMostrado } from '#app/inscripciones/schema.ts'
import { orSinEspacio } from '#app/platform/espacio.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { Button } from '#app/ui/button.tsx'
import type { Route } from './+types/impresion.page'
import { Encabezado } from './encabezado.tsx'
import { FotoDeFicha, useFotos } from './foto-de-ficha.tsx'
import { autorDe, llaveDe, readElegida } from './guards.server.ts'
import styles from './impresion.module.css'
import { paraBitacora, readFiltro } from './rules.ts'

/** More would be a book, and each brings a photograph along. */
const MAX_FICHAS = 100

export async function loader({ request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'inscripciones')
  // The frame shows the door instead of this screen.
  if (!entrada.abierta) return null
  const { services } = servicesOf(context)
  const { db } = services
  const ficha = await loadFicha()
  const { anio } = await readElegida(request, context)
  const filtro = readFiltro(new URL(request.url).searchParams, anio)
  await orSinEspacio(services, () =>
    anotar(db, autorDe(context, entrada.sesion), { que: 'exporte.impresion', ...paraBitacora(filtro) }),
  )
  const { value } = await porTandas(db, filtro, MAX_FICHAS + 1).next()
  const rows: InscripcionEntera[] = value ?? []
  const shown = rows.slice(0, MAX_FICHAS)
  const archivos =
    shown.length === 0
      ? []
      : await listArchivos(
          db,
          shown.map(({ id }) => id),
        )
  const fichas = shown.map((row) => {
    const archivo = archivos.find((one) => one.inscripcionId === row.id && claseOf(one.clase).vaEnFicha)
    const { id, tipo, folio, titular, detalle } = row
    return {
      ...{ id, tipo, folio, titular, detalle },
      datos: datosDeFicha(FORMAS[tipo], row.datos),
      alt: tipo === 'candidata' ? `Foto de ${titular}` : claseOf('bocetoFrontal').nombre,
      imagen:
        archivo && esImagen(archivo)
          ? `/organizadores/documentos/${archivo.id}?llave=${llaveDe(context, entrada.sesion, archivo.id)}&tamano=ficha`
          : undefined,
    }
  })
  return { certamen: `${ficha.nombre} ${anio}`, fichas, isCut: rows.length > MAX_FICHAS }
}

export { Falla as ErrorBoundary } from '#app/cuentas/falla.tsx'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Fichas para el jurado' }, args)

/** What the jury needs on paper, and nothing else: neither telephones nor addresses. */
export default function Impresion({ loaderData }: Route.ComponentProps) {
  const cuantas = loaderData?.fichas.filter(({ imagen }) => imagen).length ?? 0
  const { terminadas, terminar } = useFotos(cuantas)
  if (!loaderData) return null
  const { certamen, fichas, isCut } = loaderData
  const isReady = terminadas === cuantas
  return (
    <>
      <Encabezado titulo="Fichas para el jurado">
        <Button look="outline" busy={!isReady} onClick={() => isReady && print()}>
          Imprimir
        </Button>
      </Encabezado>
      <p className={styles.aviso}>
        {fichas.length === 0
          ? 'Ninguna inscripción es así: vuelve a la lista y elige otras.'
          : isCut
            ? `Son las primeras ${MAX_FICHAS}: elige menos inscripciones, o usa los filtros, para imprimir las demás.`
            : 'Sin teléfonos ni correos. Cada ficha cabe en media hoja.'}
      </p>
      {cuantas > 0 && (
        <p className={styles.avance} role="status">
          {isReady
            ? 'Las imágenes están listas para imprimir.'
            : 'Preparando las imágenes; imprime cuando estén todas.'}
          {!isReady && (
            <span aria-hidden="true">
              {' '}
              {terminadas} de {cuantas}
            </span>
          )}
        </p>
      )}
      <ol className={styles.fichas}>
        {fichas.map((ficha) => (
          <li key={ficha.id}>
            {ficha.imagen ? (
              <FotoDeFicha
                src={ficha.imagen}
                alt={ficha.alt}
                className={ficha.tipo === 'traje' ? styles.boceto : undefined}
                onTermina={terminar}
              />
            ) : (
              <p className={styles.sinImagen}>El archivo es un PDF: ábrelo en su inscripción e imprímelo aparte</p>
            )}
            <div>
              <p className={styles.certamen}>
                {certamen} · {ficha.folio}
              </p>
              <h2>{ficha.detalle ?? ficha.titular}</h2>
              <dl>
                {ficha.datos.map((dato) => (
                  <Dato key={dato.etiqueta} {...dato} />
                ))}
              </dl>
              <p className={styles.calificacion}>Calificación:</p>
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

const Dato = ({ etiqueta, texto }: DatoMostrado) => (
  <div>
    <dt>{etiqueta}</dt>
    <dd>{texto}</dd>
  </div>
)
