import { abrirPuerta } from '#app/accounts/sign-in/login-wall.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { enFecha } from '#app/core/time/mexico-dates.ts'
import { listNoLlegados, readPlantillas } from '#app/entries/messages/data.server.ts'
import { NOMBRE_DE_OCASION } from '#app/entries/messages/schema.ts'
import { readBuzon } from '#app/mail/data.server.ts'
import { Correo } from '#app/panel/delivery-status.tsx'
import formas from '#app/panel/forms.module.css'
import { readElegida } from '#app/panel/guards.server.ts'
import { Encabezado } from '#app/panel/heading.tsx'
import { Enlace } from '#app/ui/links/link.tsx'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/messages.page'
import styles from './messages.module.css'

export async function loader({ request, context }: Route.LoaderArgs) {
  // The frame shows the door instead of this screen.
  if (!(await abrirPuerta(request, context, 'mensajes')).abierta) return null
  const { services } = servicesOf(context)
  const { db, settings } = services
  const { anio } = await readElegida(request, context)
  const [plantillas, noLlegados, buzon] = await Promise.all([
    readPlantillas(db),
    listNoLlegados(db, anio),
    readBuzon(services),
  ])
  return { plantillas, noLlegados, buzon, hayBuzon: settings.bouncesUrl !== undefined }
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Mensajes' }, args)

/** The words of the messages, and which messages did not arrive. */
export default function Mensajes({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return null
  const { plantillas, noLlegados, buzon, hayBuzon } = loaderData
  return (
    <>
      <Encabezado titulo="Mensajes" />
      <p className={formas.entrada}>
        Lo que el sitio le escribe por correo a quien se registró, con las palabras de ustedes. Nada sale solo: se manda
        desde cada inscripción, o desde la lista a varias a la vez.
      </p>
      <section className={styles.parte} aria-labelledby="cartas">
        <h2 id="cartas">Las cartas</h2>
        <ul className={styles.cartas}>
          {plantillas.map(({ ocasion, asunto, version, quien, at }) => (
            <li key={ocasion}>
              <h3>{NOMBRE_DE_OCASION[ocasion]}</h3>
              <p>{asunto}</p>
              <p className={styles.detalle}>
                {version === 0 || !at
                  ? 'Con las palabras que trae el sitio.'
                  : `Versión ${version}, de ${quien ?? 'una cuenta que ya no está'}, ${enFecha(at)}.`}
              </p>
              <Enlace
                to={`/organizadores/mensajes/${ocasion}`}
                className={buttonLook('outline')}
                aria-label={`Ver y cambiar la carta «${NOMBRE_DE_OCASION[ocasion]}»`}
              >
                Ver y cambiar
              </Enlace>
            </li>
          ))}
        </ul>
      </section>
      <section className={styles.parte} aria-labelledby="no-llegaron">
        <h2 id="no-llegaron">Correos que no llegaron</h2>
        {noLlegados.length === 0 ? (
          <p className={styles.detalle}>Ninguno. Si un correo se rechaza o regresa, aparece aquí.</p>
        ) : (
          <ul className={styles.noLlegados}>
            {noLlegados.map(({ inscripcion, ...correo }) => (
              <li key={correo.id}>
                <Enlace to={`/organizadores/inscripciones/${inscripcion.id}`}>{inscripcion.titular}</Enlace>
                <Correo correo={correo} />
              </li>
            ))}
          </ul>
        )}
        <p className={styles.detalle}>{deBuzon(hayBuzon, buzon)}</p>
      </section>
    </>
  )
}

const FALLAS = {
  conexion: 'su servidor no contesta',
  entrada: 'no acepta el usuario o la clave',
  carpeta: 'no tiene esa carpeta',
  respuesta: 'su servidor contesta algo que no se entiende',
} as const

/** Whether what comes back is known here. */
function deBuzon(hayBuzon: boolean, buzon: { leidoAt: Date | null; falla: keyof typeof FALLAS | null } | undefined) {
  if (!hayBuzon)
    return 'De los que regresan después de enviados el sitio no se entera: nadie le ha dicho qué buzón leer (el ajuste BOUNCES_URL).'
  if (buzon?.falla)
    return `El buzón de los correos que regresan no se puede leer: ${FALLAS[buzon.falla]}. Avisa a quien cuida el sitio; mientras, los que regresen no se ven aquí.`
  return buzon?.leidoAt
    ? `El buzón de los correos que regresan se leyó el ${enFecha(buzon.leidoAt)}.`
    : 'El buzón de los correos que regresan se va a leer en unos minutos.'
}
