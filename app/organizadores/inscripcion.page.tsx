import { data } from 'react-router'
import { abrirPuerta, requireOrganizacion } from '#app/cuentas/puerta.server.ts'
import { cabeza } from '#app/edicion/cabeza.ts'
import { claseOf } from '#app/inscripciones/clases.ts'
import { readInscripcion } from '#app/inscripciones/data.server.ts'
import { findArchivo, MENSAJES_DE_VISTA, whyNotShown } from '#app/inscripciones/documentos.server.ts'
import { askDocumento, changeEstado, undoCambio } from '#app/inscripciones/mutations.server.ts'
import { readEstado } from '#app/inscripciones/rules.ts'
import type { DatoMostrado } from '#app/inscripciones/schema.ts'
import { MENSAJES_DE_CAMBIO, NOMBRE_DE_ESTADO, NOMBRE_DE_TIPO } from '#app/inscripciones/schema.ts'
import { readContacto } from '#app/mensajes/data.server.ts'
import { avisarDelPaso } from '#app/mensajes/mutations.server.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/platform/espacio.server.ts'
import { cuando, fechaYHora } from '#app/platform/fechas.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { buttonLook } from '#app/ui/button.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import type { Route } from './+types/inscripcion.page'
import { Aviso } from './aviso.tsx'
import { hazCandidata, mensajeDeCandidata, readCandidataDelSitio } from './candidata-nueva.server.ts'
import { EnElSitio } from './candidata-nueva.tsx'
import { Contacto } from './contacto.tsx'
import { Encabezado } from './encabezado.tsx'
import { Estado } from './estado.tsx'
import { autorDe, llaveDe } from './guards.server.ts'
import styles from './inscripcion.module.css'
import { Juicio } from './juicio.tsx'
import { campoDe, toId } from './rules.ts'
import { useVuelta } from './use-vuelta.ts'
import { Visor } from './visor.tsx'

/** PDFs are read in a frame within the entry. */
export const handle = { marcos: true }

const notFound = () => data('Esa inscripción no existe. Puede ser que alguien la haya borrado.', { status: 404 })

export async function loader({ params, request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'inscripciones')
  // The frame shows the door instead of this screen.
  if (!entrada.abierta) return null
  const { services } = servicesOf(context)
  const inscripcion = await readInscripcion(services.db, toId(params.id))
  if (!inscripcion) throw notFound()
  const asked = new URL(request.url).searchParams
  const abierto = inscripcion.documentos.find(({ id }) => String(id) === asked.get('ver'))
  const direccion = (id: number) => `/organizadores/documentos/${id}?llave=${llaveDe(context, entrada.sesion, id)}`
  // What is reserved takes a click of its own.
  const isHidden = abierto !== undefined && claseOf(abierto.clase).esReservado && asked.get('mostrar') !== 'si'
  const archivo = abierto && !isHidden ? await findArchivo(services.db, abierto.id) : undefined
  const reason = archivo && (await whyNotShown(services, archivo))
  return {
    inscripcion,
    contacto: await readContacto(services, inscripcion),
    candidata: await readCandidataDelSitio(services.db, inscripcion.id),
    ahora: services.clock.now(),
    abierto: abierto && {
      id: abierto.id,
      direccion: direccion(abierto.id),
      isHidden,
      aviso: reason && { texto: MENSAJES_DE_VISTA[reason], seBaja: ['protegido', 'grande'].includes(reason) },
    },
  }
}

/** What came of a change; what was typed stays, whatever came of it. */
export async function action({ params, request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'inscripciones')
  const { services } = servicesOf(context)
  const { db } = services
  const form = await request.formData()
  const text = (name: string) => campoDe(form, name)
  const vista = { id: toId(params.id), version: toId(text('version')), at: services.clock.now() }
  const autor = autorDe(context, sesion)
  const hacer = text('hacer')
  if (hacer === 'candidata') {
    const hecho = await hazCandidata(services, vista.id, autor)
    const mensaje = mensajeDeCandidata(hecho)
    if (hecho.ok) return { ok: true as const, mensaje }
    const typed = { hacer, nota: '', paraPersona: false, estado: undefined, documento: '' }
    return data({ ok: false as const, mensaje, ...typed }, { status: hecho.reason === 'espera' ? 503 : 422 })
  }
  const a = readEstado(text('estado'))
  const nota = text('nota')
  const paraPersona = form.get('paraPersona') === 'si'
  const avisar = (tx: typeof db) => avisarDelPaso(tx, services, vista.id, autor)
  const pedido = { documento: toId(text('documento')), nota, avisar }
  const hecho = await unlessFull(services, async () =>
    hacer === 'deshacer'
      ? undoCambio(db, vista, autor)
      : hacer === 'pedir'
        ? askDocumento(db, vista, pedido, autor)
        : a
          ? changeEstado(db, vista, { a, nota, paraPersona }, autor)
          : ({ ok: false, reason: 'estado' } as const),
  )
  const typed = { hacer, nota, paraPersona, estado: a, documento: text('documento') }
  if (hecho.ok) return { ok: true as const, mensaje: 'Listo: el cambio quedó guardado.' }
  if (hecho.reason === 'sin-espacio')
    return data({ ok: false as const, mensaje: SIN_ESPACIO, ...typed }, { status: STATUS_SIN_ESPACIO })
  const mensaje =
    hecho.reason === 'version'
      ? `No se guardó: mientras tanto ${hecho.quien ?? 'la persona inscrita'} cambió esta inscripción${
          hecho.at ? ` (${fechaYHora(hecho.at)})` : ''
        } y ahora está «${NOMBRE_DE_ESTADO[hecho.estado]}». Lo que escribiste sigue aquí: revísalo y vuelve a guardar.`
      : MENSAJES_DE_CAMBIO[hecho.reason]
  return data({ ok: false as const, mensaje, ...typed }, { status: hecho.reason === 'version' ? 409 : 422 })
}

export { Falla as ErrorBoundary } from '#app/cuentas/falla.tsx'
export { revalidateAfterClash as shouldRevalidate } from './rules.ts'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Inscripción' }, args)

/** One entry: what was sent, its documents, and what the organisers make of it. */
export default function Pantalla({ loaderData, actionData }: Route.ComponentProps) {
  const vuelta = useVuelta()
  if (!loaderData) return null
  const { inscripcion, contacto, candidata, abierto, ahora } = loaderData
  const { id, tipo, folio, titular, detalle, estado, recibidaAt, campos } = inscripcion
  const vigentes = inscripcion.documentos.filter(({ reemplazadoAt }) => !reemplazadoAt)
  const anteriores = inscripcion.documentos.filter(({ reemplazadoAt }) => reemplazadoAt)
  return (
    <>
      <p className={styles.regreso}>
        <Enlace to={vuelta}>Inscripciones</Enlace>
      </p>
      <Encabezado titulo={titular}>
        <a href={`/organizadores/exportar?formato=zip&id=${id}`} className={buttonLook('outline')}>
          Descargar en ZIP
        </a>
        <a href={`/organizadores/impresion?id=${id}`} className={buttonLook('outline')}>
          Imprimir
        </a>
      </Encabezado>
      <p className={styles.resumen}>
        <Estado estado={estado} /> {detalle ?? NOMBRE_DE_TIPO[tipo]} · folio <b className={styles.folio}>{folio}</b> ·
        recibida{' '}
        <time dateTime={recibidaAt.toISOString()} title={fechaYHora(recibidaAt)}>
          {cuando(recibidaAt, ahora)}
        </time>
      </p>
      {actionData && <Aviso hecho={actionData} />}
      <div className={styles.columnas}>
        <div className={styles.principal}>
          <section aria-labelledby="datos">
            <h2 id="datos">Datos</h2>
            <dl className={styles.datos}>
              {campos.map((campo) => (
                <Dato key={campo.etiqueta} {...campo} />
              ))}
            </dl>
          </section>
          <section aria-labelledby="documentos">
            <h2 id="documentos">Documentos</h2>
            {inscripcion.credencialRepetida && (
              <p className={styles.marca}>Los dos lados de la credencial son el mismo archivo.</p>
            )}
            <Visor documentos={vigentes} anteriores={anteriores} abierto={abierto} ahora={ahora} />
          </section>
        </div>
        <div className={styles.lateral}>
          <Contacto contacto={contacto} />
          {candidata && <EnElSitio candidata={candidata} />}
          <Juicio
            inscripcion={inscripcion}
            documentos={vigentes}
            ahora={ahora}
            guardado={actionData?.ok ? actionData : undefined}
            rechazado={actionData?.ok === false ? actionData : undefined}
          />
          <p className={styles.borrar}>
            <Enlace to={`/organizadores/privacidad?id=${id}`}>Borrar a solicitud de la persona</Enlace>
          </p>
        </div>
      </div>
    </>
  )
}

const Dato = ({ etiqueta, texto, marca }: DatoMostrado) => (
  <div>
    <dt>{etiqueta}</dt>
    <dd>
      {texto}
      {marca && <em> {marca}</em>}
    </dd>
  </div>
)
