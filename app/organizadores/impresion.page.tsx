import { anotar } from '#app/bitacora/mutations.server.ts'
import { cabeza } from '#app/contenido/cabeza.ts'
import { loadFicha } from '#app/contenido/contenido.server.ts'
import { abrirPuerta } from '#app/cuentas/puerta.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { Button } from '#app/ui/button.tsx'
import type { Route } from './+types/impresion.page'
import { esImagen, listArchivos } from './documentos.server.ts'
import { Encabezado } from './encabezado.tsx'
import { orSinEspacio } from './espacio.server.ts'
import { inBatches, type RenglonEntero } from './exportes.server.ts'
import { FotoDeFicha, useFotos } from './foto-de-ficha.tsx'
import { autorDe, llaveDe } from './guards.server.ts'
import styles from './impresion.module.css'
import { paraBitacora, readFiltro } from './rules.ts'

/** More would be a book, and each brings a photograph along. */
const MAX_FICHAS = 100

export async function loader({ request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'organizadores')
  // The frame shows the door instead of this screen.
  if (!entrada.abierta) return null
  const { services } = servicesOf(context)
  const { db } = services
  const ficha = await loadFicha()
  const filtro = readFiltro(new URL(request.url).searchParams, ficha.anio)
  await orSinEspacio(services, () =>
    anotar(db, autorDe(context, entrada.sesion), { que: 'exporte.impresion', ...paraBitacora(filtro) }),
  )
  const { value } = await inBatches(db, filtro, MAX_FICHAS + 1).next()
  const rows: RenglonEntero[] = value ?? []
  const shown = rows.slice(0, MAX_FICHAS)
  const archivos =
    shown.length === 0
      ? []
      : await listArchivos(
          db,
          shown.map(({ id }) => id),
        )
  const fichas = shown.map((row) => {
    const clase = row.tipo === 'candidata' ? 'fotoRostro' : 'bocetoFrontal'
    const archivo = archivos.find((one) => one.inscripcionId === row.id && one.clase === clase)
    const { id, tipo, folio, titular, detalle, edad, estatura, grado_estudio, ciudad, tematica, materiales } = row
    return {
      ...{ id, tipo, folio, titular, detalle, edad, estatura, grado_estudio, ciudad, tematica, materiales },
      descripcion: row.descripcion,
      altura: row.altura,
      imagen:
        archivo && esImagen(archivo)
          ? `/organizadores/documentos/${archivo.id}?llave=${llaveDe(context, entrada.sesion, archivo.id)}&tamano=ficha`
          : undefined,
    }
  })
  return { certamen: `${ficha.nombre} ${ficha.anio}`, fichas, isCut: rows.length > MAX_FICHAS }
}

export { Falla as ErrorBoundary } from './falla.tsx'

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
                alt={ficha.tipo === 'candidata' ? `Foto de ${ficha.titular}` : 'Boceto frontal'}
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
                {ficha.detalle && <Dato etiqueta="Diseño" valor={ficha.titular} />}
                {ficha.edad !== null && <Dato etiqueta="Edad" valor={`${ficha.edad} años`} />}
                {ficha.estatura !== null && <Dato etiqueta="Estatura" valor={`${ficha.estatura.toFixed(2)} m`} />}
                {ficha.grado_estudio && <Dato etiqueta="Grado de estudio" valor={ficha.grado_estudio} />}
                {ficha.ciudad && <Dato etiqueta="Ciudad" valor={ficha.ciudad} />}
                {ficha.tematica && <Dato etiqueta="Temática" valor={ficha.tematica} />}
                {ficha.descripcion && <Dato etiqueta="Descripción" valor={ficha.descripcion} />}
                {ficha.materiales && <Dato etiqueta="Materiales" valor={ficha.materiales} />}
                {ficha.altura !== null && <Dato etiqueta="Altura" valor={`${ficha.altura} cm`} />}
              </dl>
              <p className={styles.calificacion}>Calificación:</p>
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

const Dato = ({ etiqueta, valor }: { etiqueta: string; valor: string }) => (
  <div>
    <dt>{etiqueta}</dt>
    <dd>{valor}</dd>
  </div>
)
