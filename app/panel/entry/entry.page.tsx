import { useEffect, useState } from 'react'
import { data } from 'react-router'
import { autorDe } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { abrirPuerta, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { cuando, enFecha } from '#app/core/time/mexico-dates.ts'
import { SIN_ESPACIO, STATUS_SIN_ESPACIO, unlessFull } from '#app/core/uploads/disk-space.server.ts'
import { readInscripcion } from '#app/entries/data.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { claseOf } from '#app/entries/definitions/document-kinds.ts'
import { listParecidas } from '#app/entries/likely-duplicates.server.ts'
import { readContacto } from '#app/entries/messages/data.server.ts'
import { avisarDelPaso } from '#app/entries/messages/mutations.server.ts'
import { readVecinas } from '#app/entries/neighbours.server.ts'
import { camposDeContacto, readEstado, revisarContacto } from '#app/entries/rules.ts'
import type { DatoMostrado, EstadoInscripcion } from '#app/entries/schema.ts'
import { MENSAJES_DE_CAMBIO, NOMBRE_DE_ESTADO, NOMBRE_DE_TIPO } from '#app/entries/schema.ts'
import { askDocumento, changeEstado, correctContacto, undoCambio } from '#app/entries/states/mutations.server.ts'
import { useAbierto, Visor } from '#app/panel/documents/viewer.tsx'
import { Estado } from '#app/panel/entry-state.tsx'
import { llaveDe } from '#app/panel/guards.server.ts'
import { Encabezado } from '#app/panel/heading.tsx'
import { campoDe, readFiltro, toId, toInscripcion } from '#app/panel/rules.ts'
import { useVuelta } from '#app/panel/use-back-to-list.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Button, buttonLook } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/entry.page'
import { Plegable, useAngosta } from './collapsible-section.tsx'
import { Contacto } from './contact.tsx'
import { Correccion } from './contact-correction.tsx'
import { Barra } from './decision-bar.tsx'
import { Decidir, Pedir } from './decision-forms.tsx'
import styles from './entry.module.css'
import { Historia } from './history.tsx'
import { Teclas } from './keyboard-shortcuts.tsx'
import { hazCandidata, mensajeDeCandidata, readCandidataDelSitio } from './make-candidate.server.ts'
import { EnElSitio } from './make-candidate.tsx'
import { Parecidas } from './similar-entries.tsx'

/** PDFs are read in a frame within the entry. */
export const handle = { marcos: true }

const notFound = () => data('Esa inscripción no existe. Puede ser que alguien la haya borrado.', { status: 404 })

export async function loader({ params, request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'inscripciones')
  // The frame shows the door instead of this screen.
  if (!entrada.abierta) return null
  const { services } = servicesOf(context)
  const { db } = services
  const inscripcion = await readInscripcion(db, toId(params.id))
  if (!inscripcion) throw notFound()
  const { ids: _, ...filtro } = readFiltro(new URL(request.url).searchParams, inscripcion.edicion)
  const [candidata, contacto, vecinas, parecidas] = await Promise.all([
    readCandidataDelSitio(db, inscripcion.id),
    readContacto(services, inscripcion),
    readVecinas(db, filtro, inscripcion.id),
    listParecidas(db, inscripcion.id),
  ])
  const direccion = (id: number) => `/organizadores/documentos/${id}?llave=${llaveDe(context, entrada.sesion, id)}`
  const veCuerpo = may(entrada.sesion.rol, 'cuerpo')
  const documentos = inscripcion.documentos.map((one) => ({
    ...one,
    direccion: veCuerpo || !claseOf(one.clase).esReservado ? direccion(one.id) : undefined,
  }))
  const borra = may(entrada.sesion.rol, 'privacidad')
  return {
    inscripcion: { ...inscripcion, documentos },
    ...{ candidata, contacto, filtro, vecinas, parecidas, veCuerpo, borra },
    ahora: services.clock.now(),
  }
}

const SIN_SITIO =
  'Llevarla al sitio es de quien escribe el sitio, y tu cuenta no lo hace. Pídeselo a quien lleva «El sitio».'

/** What the bar's buttons decide, by one press. */
const DE_LA_BARRA: Readonly<Record<string, EstadoInscripcion>> = { aceptar: 'aceptada', rechazar: 'rechazada' }

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
  /** Beside which button it is said. */
  const lugar = text('desde') === 'barra' ? 'barra' : hacer
  const a = DE_LA_BARRA[hacer] ?? readEstado(text('estado'))
  const nota = text('nota')
  const paraPersona = form.get('paraPersona') === 'si'
  const deContacto = Object.values(FORMAS)
    .flatMap(camposDeContacto)
    .filter(({ nombre }) => form.has(nombre))
  const tecleado = Object.fromEntries(deContacto.map(({ nombre }) => [nombre, text(nombre)]))
  const typed = { lugar, hacer, nota, paraPersona, estado: a, documento: text('documento'), tecleado }
  if (hacer === 'candidata') {
    if (!may(sesion.rol, 'sitio')) return data({ ok: false as const, mensaje: SIN_SITIO, ...typed }, { status: 403 })
    const hecho = await hazCandidata(services, vista.id, autor)
    const mensaje = mensajeDeCandidata(hecho)
    if (hecho.ok) return { ok: true as const, lugar, hacer, mensaje }
    return data({ ok: false as const, mensaje, ...typed }, { status: hecho.reason === 'espera' ? 503 : 422 })
  }
  const avisar = (tx: typeof db) => avisarDelPaso(tx, services, vista.id, autor)
  const pedido = { documento: toId(text('documento')), nota, avisar }
  const hecho = await unlessFull(services, async () => {
    if (hacer === 'deshacer') return undoCambio(db, vista, autor)
    if (hacer === 'pedir') return askDocumento(db, vista, pedido, autor)
    if (hacer === 'contacto') return correctContacto(db, vista, tecleado, autor)
    return a ? changeEstado(db, vista, { a, nota, paraPersona }, autor) : ({ ok: false, reason: 'estado' } as const)
  })
  if (hecho.ok) return { ok: true as const, lugar, hacer, mensaje: lugar === 'barra' ? BREVE[hacer]! : GUARDADO }
  if (hecho.reason === 'sin-espacio')
    return data({ ok: false as const, mensaje: SIN_ESPACIO, ...typed }, { status: STATUS_SIN_ESPACIO })
  const mensaje =
    hecho.reason === 'version'
      ? `No se guardó: mientras tanto ${hecho.quien ?? 'la persona inscrita'} cambió esta inscripción${
          hecho.at ? ` (${enFecha(hecho.at)})` : ''
        } y ahora está «${NOMBRE_DE_ESTADO[hecho.estado]}». Lo que escribiste sigue aquí: revísalo y vuelve a guardar.`
      : MENSAJES_DE_CAMBIO[hecho.reason]
  const revisado = revisarContacto({ campos: deContacto }, tecleado)
  const errores = Object.fromEntries((revisado.ok ? [] : revisado.campos).map(({ campo, message }) => [campo, message]))
  return data({ ok: false as const, mensaje, ...typed, errores }, { status: hecho.reason === 'version' ? 409 : 422 })
}

const GUARDADO = 'Listo: el cambio quedó guardado.'
const BREVE: Readonly<Record<string, string>> = {
  aceptar: 'Listo: quedó aceptada.',
  rechazar: 'Listo: quedó rechazada.',
  deshacer: 'Se deshizo: está como antes.',
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'
export { revalidateUnlessVer as shouldRevalidate } from '#app/panel/rules.ts'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Inscripción' }, args)

/** One entry: its documents side by side, what was sent, and what the organisers make of it. */
export default function Pantalla({ loaderData, actionData }: Route.ComponentProps) {
  // What one entry was told is not for the next.
  return loaderData && <Mesa key={loaderData.inscripcion.id} loaderData={loaderData} actionData={actionData} />
}

interface MesaProps {
  loaderData: NonNullable<Route.ComponentProps['loaderData']>
  actionData: Route.ComponentProps['actionData']
}

function Mesa({ loaderData, actionData }: MesaProps) {
  const { inscripcion, candidata, contacto, ahora, filtro, vecinas, parecidas, veCuerpo, borra } = loaderData
  const { id, tipo, folio, titular, detalle, estado, edad, recibidaAt, campos } = inscripcion
  const vuelta = useVuelta()
  const abierto = useAbierto(inscripcion.documentos)
  const isNarrow = useAngosta()
  const [isAsking, setAsking] = useState(false)
  const vigentes = inscripcion.documentos.filter(({ reemplazadoAt }) => !reemplazadoAt)
  const anteriores = inscripcion.documentos.filter(({ reemplazadoAt }) => reemplazadoAt)
  const of = (lugar: string) => (actionData?.lugar === lugar ? actionData : undefined)
  const asked = of('pedir')
  useEffect(() => {
    if (asked?.ok) setAsking(false)
  }, [asked])
  return (
    <>
      <nav className={styles.camino} aria-label="Lista">
        <Enlace to={vuelta} className={styles.regreso}>
          Inscripciones
        </Enlace>
        {vecinas.anterior && (
          <Enlace
            to={toInscripcion(vecinas.anterior.id, filtro)}
            rel="prev"
            data-tecla="k p"
            title={vecinas.anterior.titular}
          >
            Anterior
          </Enlace>
        )}
        {vecinas.siguiente && (
          <Enlace
            to={toInscripcion(vecinas.siguiente.id, filtro)}
            rel="next"
            data-tecla="j n"
            title={vecinas.siguiente.titular}
          >
            Siguiente
          </Enlace>
        )}
        <Teclas />
      </nav>
      <Encabezado titulo={titular} />
      <p className={styles.resumen}>
        <Estado estado={estado} /> {detalle ?? NOMBRE_DE_TIPO[tipo]}
        {edad !== null && <>, {edad} años</>} · folio <b className={styles.folio}>{folio}</b> · recibida{' '}
        <time dateTime={recibidaAt.toISOString()} title={enFecha(recibidaAt)}>
          {cuando(recibidaAt, ahora)}
        </time>
      </p>
      <Parecidas parecidas={parecidas} />
      <div className={styles.columnas}>
        <section aria-labelledby="documentos" className={styles.documentos}>
          <h2 id="documentos">Documentos</h2>
          {inscripcion.credencialRepetida && (
            <p className={styles.marca}>Los dos lados de la credencial son el mismo archivo.</p>
          )}
          <Visor documentos={[...vigentes, ...anteriores]} ahora={ahora} />
        </section>
        <div className={styles.lateral}>
          <Barra
            inscripcion={inscripcion}
            filtro={filtro}
            espera={vecinas.espera}
            hayAbierto={abierto !== undefined}
            hecho={of('barra')}
            onFalta={() => setAsking(true)}
          />
          <Contacto contacto={contacto} />
          <Plegable id="datos" titulo="Datos" nota={inscripcion.celular} abre={of('contacto') !== undefined}>
            <dl className={styles.datos}>
              {campos.map((campo) => (
                <Dato key={campo.etiqueta} {...campo} />
              ))}
            </dl>
            <Correccion inscripcion={inscripcion} hecho={of('contacto')} />
          </Plegable>
          <Decidir inscripcion={inscripcion} hecho={of('decidir')} />
          <Pedir
            inscripcion={inscripcion}
            documentos={vigentes}
            abierto={vigentes.find((one) => one.id === abierto?.id)}
            ahora={ahora}
            hecho={asked}
            isSheet={isAsking && isNarrow}
            onClose={() => setAsking(false)}
          />
          {candidata && <EnElSitio candidata={candidata} hecho={of('candidata')} />}
          <Historia inscripcion={inscripcion} hecho={of('deshacer')} />
          <Plegable id="llevar" titulo="Llevar y borrar">
            <form action="/organizadores/exportar" className={styles.llevar}>
              <input type="hidden" name="formato" value="zip" />
              <input type="hidden" name="id" value={id} />
              {tipo === 'candidata' && veCuerpo && (
                <label className={styles.casilla}>
                  <input type="checkbox" name="cuerpo" value="si" />
                  Con fotos de cuerpo completo
                </label>
              )}
              <Button type="submit" look="outline">
                Descargar en ZIP
              </Button>
              <a href={`/organizadores/impresion?id=${id}`} className={buttonLook('outline')}>
                Imprimir
              </a>
            </form>
            {borra && (
              <p className={styles.borrar}>
                <Enlace to={`/organizadores/privacidad?id=${id}`}>Borrar a solicitud de la persona</Enlace>
              </p>
            )}
          </Plegable>
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
