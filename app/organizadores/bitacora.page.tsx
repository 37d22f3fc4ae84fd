import { Form } from 'react-router'
import { cabeza } from '#app/contenido/cabeza.ts'
import { type LineaDeBitacora, listBitacora } from '#app/cuentas/data.server.ts'
import { abrirPuerta } from '#app/cuentas/puerta.server.ts'
import { diaDe, fechaYHora, finDelDia } from '#app/platform/fechas.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { buttonLook } from '#app/ui/button.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import { SelectField, TextField } from '#app/ui/field.tsx'
import type { Route } from './+types/bitacora.page'
import styles from './bitacora.module.css'
import { Encabezado } from './encabezado.tsx'
import { campoDe, sobreEnPalabras, toId } from './rules.ts'

/** What the log can be narrowed to: the beginning of its verbs. */
const CLASES: Record<string, string> = {
  Todo: '',
  Entradas: 'acceso',
  'Entradas fallidas': 'acceso.fallido',
  Salidas: 'salida',
  Cuentas: 'cuenta',
  Acreditaciones: 'acreditacion',
  Inscripciones: 'inscripcion',
  'Documentos vistos': 'documento',
  Exportaciones: 'exporte',
  Ajustes: 'ajuste',
  Borrados: 'borrado',
  Votación: 'voto',
}

const DAY_MS = 24 * 60 * 60_000

export async function loader({ request, context }: Route.LoaderArgs) {
  // The frame shows the door instead of this screen.
  if (!(await abrirPuerta(request, context, 'organizadores')).abierta) return null
  const params = new URL(request.url).searchParams
  const text = (name: string) => campoDe(params, name).slice(0, 254)
  const filtro = {
    clase: Object.hasOwn(CLASES, text('clase')) ? text('clase') : 'Todo',
    persona: text('persona').toLowerCase(),
    desde: text('desde'),
    hasta: text('hasta'),
  }
  const [firstDay, lastDay] = [finDelDia(filtro.desde), finDelDia(filtro.hasta)]
  const edge = (name: string) => toId(params.get(name)) || undefined
  const pagina = await listBitacora(
    servicesOf(context).services.db,
    {
      que: CLASES[filtro.clase] || undefined,
      persona: filtro.persona || undefined,
      desde: firstDay && new Date(firstDay.getTime() - DAY_MS + 1),
      hasta: lastDay,
    },
    { antes: edge('antes'), despues: edge('despues') },
  )
  return { filtro, ...pagina, hoy: diaDe(new Date()) }
}

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Bitácora' }, args)

/** Who did what, when, from where. Nothing in it can be changed. */
export default function Bitacora({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { filtro, lineas, masNuevas, masAntiguas, hoy } = loaderData
  const asked = new URLSearchParams(Object.entries(filtro).filter(([, value]) => value !== ''))
  const page = (name: string, edge: number) =>
    `/organizadores/bitacora?${new URLSearchParams([...asked, [name, String(edge)]])}`
  return (
    <>
      <Encabezado titulo="Bitácora" />
      <p className={styles.nota}>
        Sólo crece: nadie puede cambiar ni borrar un renglón. Redes y cuentas desconocidas se guardan cifradas: dos
        iguales son la misma. De quien vota no se dice el correo: la hora en que entró delataría su voto.
      </p>
      <Form className={styles.filtro} role="search" key={asked.toString()}>
        <SelectField id="clase" name="clase" label="Qué" options={Object.keys(CLASES)} defaultValue={filtro.clase} />
        <TextField
          id="persona"
          name="persona"
          label="Correo de la cuenta"
          defaultValue={filtro.persona}
          autoComplete="off"
        />
        <TextField id="desde" name="desde" type="date" label="Desde" max={hoy} defaultValue={filtro.desde} />
        <TextField id="hasta" name="hasta" type="date" label="Hasta" max={hoy} defaultValue={filtro.hasta} />
        <button type="submit" className={buttonLook('outline')}>
          Filtrar
        </button>
      </Form>
      {lineas.length === 0 ? (
        <p className={styles.nota}>
          No hay renglones así. <Enlace to="/organizadores/bitacora">Quitar los filtros</Enlace>
        </p>
      ) : (
        <table className={styles.lista}>
          <thead>
            <tr>
              <th scope="col">Cuándo</th>
              <th scope="col">Quién</th>
              <th scope="col">Qué</th>
              <th scope="col">A qué o a quién</th>
              <th scope="col">Desde</th>
            </tr>
          </thead>
          <tbody>
            {lineas.map((linea) => (
              <Linea key={linea.id} linea={linea} />
            ))}
          </tbody>
        </table>
      )}
      {(masNuevas !== undefined || masAntiguas !== undefined) && (
        <nav className={styles.paginas} aria-label="Páginas">
          {masNuevas !== undefined && (
            <>
              <Enlace to={`/organizadores/bitacora?${asked}`}>Volver a lo más reciente</Enlace>
              <Enlace to={page('despues', masNuevas)} rel="prev">
                Más nuevos
              </Enlace>
            </>
          )}
          {masAntiguas !== undefined && (
            <Enlace to={page('antes', masAntiguas)} rel="next">
              Más antiguos
            </Enlace>
          )}
        </nav>
      )}
    </>
  )
}

const Linea = ({ linea: { at, que, quien, sobre, esRastro, desde } }: { linea: LineaDeBitacora }) => (
  <tr>
    <td className={styles.cuando}>
      <time dateTime={at.toISOString()}>{fechaYHora(at)}</time>
    </td>
    <td className={styles.texto}>{quien ?? (desde === 'terminal' ? 'La terminal' : 'Nadie conocido')}</td>
    <td className={styles.texto}>{enPalabras(que)}</td>
    <td className={styles.texto}>
      <Sobre que={que} sobre={sobre} esRastro={esRastro} />
    </td>
    <td className={styles.red} title={desde}>
      {desde === 'terminal' ? 'terminal' : `red ${desde.slice(0, 6)}`}
    </td>
  </tr>
)

function Sobre({ que, sobre, esRastro }: Pick<LineaDeBitacora, 'que' | 'sobre' | 'esRastro'>) {
  if (sobre === null) return '—'
  if (esRastro) return `cuenta ${sobre.slice(0, 6)}`
  const { texto, inscripcion } = sobreEnPalabras(que, sobre)
  // Of an entry that was deleted nothing is left to be looked at.
  if (inscripcion === undefined || que.startsWith('borrado.')) return texto
  return <Enlace to={`/organizadores/inscripciones/${inscripcion}`}>{texto}</Enlace>
}

const PALABRAS: Record<string, string> = {
  acceso: 'Entró con contraseña',
  'acceso.codigo': 'Entró con código',
  'acceso.google': 'Entró con Google',
  'acceso.fallido': 'No pudo entrar',
  salida: 'Cerró sesión',
  acreditacion: 'Acreditó a un medio',
  'cuenta.creada.admin': 'Creó una cuenta de organización',
  'cuenta.creada.prensa': 'Creó una cuenta de prensa',
  'cuenta.rol.admin': 'Cambió el rol a organización',
  'cuenta.rol.prensa': 'Cambió el rol a prensa',
  'cuenta.clave': 'Cambió la contraseña',
  'cuenta.enlace': 'Mandó un enlace de contraseña',
  'cuenta.baja': 'Dio de baja',
  'documento.visto': 'Vio un documento',
  'voto.acta-de-cero': 'Levantó el acta de cero',
  'voto.acta-de-cierre': 'Selló el acta de cierre',
  'voto.anulados': 'Anuló votos',
  'voto.exportado': 'Descargó resultados de la votación',
  'documento.bajado': 'Descargó un documento, con la marca si es de identidad',
  'documento.original': 'Abrió un archivo original, sin marca, por su dirección fija',
  'documento.bajado.sinMarca': 'Descargó un documento original, sin marca',
  'inscripcion.recibida': 'Regresó una inscripción a recibida',
  'inscripcion.en-revision': 'Pasó una inscripción a revisión',
  'inscripcion.falta-documento': 'Pidió un documento de nuevo',
  'inscripcion.aceptada': 'Aceptó una inscripción',
  'inscripcion.rechazada': 'Rechazó una inscripción',
  'exporte.csv': 'Exportó la lista en CSV',
  'exporte.xlsx': 'Exportó la lista en Excel',
  'exporte.zip': 'Descargó documentos en ZIP',
  'exporte.impresion': 'Abrió fichas para imprimir',
  'ajuste.registro.candidatas': 'Cambió el periodo de registro de candidatas',
  'ajuste.registro.trajes': 'Cambió el periodo de registro de trajes',
  'ajuste.prensa.publica': 'Cambió quién abre el material de prensa',
  'ajuste.votacion.ganadora': 'Cambió a quién se proclama ganadora',
  'ajuste.privacidad.dias': 'Cambió cuánto se conservan los documentos',
  'borrado.solicitud': 'Borró una inscripción a solicitud de la persona',
  'borrado.plazo': 'Se borró una inscripción al vencer su plazo',
}

/** The verb as it is kept, where the table has no words for it. */
const enPalabras = (que: string) => PALABRAS[que] ?? que.replaceAll('.', ' · ').replaceAll('-', ' ')
