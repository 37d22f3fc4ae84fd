import { autorDe } from '#app/accounts/guards.server.ts'
import { abrirPuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { orSinEspacio } from '#app/core/uploads/disk-space.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { claseOf } from '#app/entries/definitions/document-kinds.ts'
import { esImagen, listArchivos } from '#app/entries/documents/viewing.server.ts'
import { type InscripcionEntera, porTandas } from '#app/entries/exports.server.ts'
import type { DatoMostrado } from '#app/entries/schema.ts'
import { datosDeFicha } from '#app/entries/shown-values.ts'
import { llaveDe, readElegida } from '#app/panel/guards.server.ts'
import { Encabezado } from '#app/panel/heading.tsx'
import { paraBitacora, readFiltro } from '#app/panel/rules.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/jury-cards.page'
import { FotoDeFicha, useFotos } from './card-photo.tsx'
import styles from './jury-cards.module.css'

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

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

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
