import type { Edition } from '#app/cms/editions/displayed-edition.server.ts'
import type { PeriodStatus } from '#app/cms/settings/schema.ts'
import { REGISTRATION_FORMS, usePeriods } from '#app/cms/settings/use-periods.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import { Redes } from '#app/ui/sharing/social-links.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './footer.module.css'
import { LazySessionLine } from './lazy-session-line.tsx'

export type FooterData = Pick<Edition, 'nombre' | 'rotulo' | 'anio' | 'feria' | 'lugar' | 'redes'> & {
  hayPrograma: boolean
}

/** The short footer, for work screens such as the panel, leaves out the links to the programme, calendar and forms. */
export function Footer({ edicion, corto }: { edicion: FooterData | undefined; corto: boolean }) {
  return (
    <footer className={joinClasses(styles.pie, corto && styles.corto)}>
      <div className={styles.picado} aria-hidden="true" />
      {edicion && (
        <div className={styles.dentro}>
          <Enlace to="/" prefetch="intent" className={styles.logo} aria-label={`${edicion.nombre}, inicio`}>
            <Emblem className={styles.emblema} />
            <span>
              {edicion.rotulo[0]} <em>{edicion.rotulo[1]}</em>
            </span>
          </Enlace>
          <div className={styles.visita}>
            <address className={styles.domicilio}>
              <a href={edicion.lugar.mapa} target="_blank" rel="noopener noreferrer">
                <span>{edicion.lugar.domicilio}</span>{' '}
                <span>
                  {edicion.lugar.ciudad}, {edicion.lugar.estado} · C.P. {edicion.lugar.codigoPostal}
                </span>{' '}
                <b>Cómo llegar</b>
              </a>
            </address>
            {/* A plain link: the programme loads as a separate document, which alone may store itself for offline use. */}
            {!corto && edicion.hayPrograma && <a href="/programa">Programa de la feria</a>}
            {!corto && <a href="/feria.ics">Añadir a mi calendario</a>}
          </div>
          {!corto && <Registrations />}
          <Redes {...edicion.redes} />
          <p className={styles.legal}>
            <Enlace to="/aviso-de-privacidad">Aviso de privacidad</Enlace>
            <span>
              {edicion.feria.nombre} {edicion.feria.desde} — {edicion.anio}
            </span>
          </p>
        </div>
      )}
      <LazySessionLine />
    </footer>
  )
}

/** Links to the registration forms and, once known, when each opens or closes. */
function Registrations() {
  const periods = usePeriods()
  return (
    <ul className={styles.registros}>
      {REGISTRATION_FORMS.map(({ registro, a, nombre }) => (
        <li key={registro}>
          {/* These links stand on every screen, so their forms are not prefetched. */}
          <Enlace to={a} prefetch="none">
            {nombre}
          </Enlace>
          <span className={styles.cuando}>{periods && periodInWords(periods[registro])}</span>
        </li>
      ))}
      <li>
        <Enlace to="/folio" prefetch="none">
          Tu folio
        </Enlace>
        <span className={styles.cuando}>Cómo va tu registro</span>
      </li>
    </ul>
  )
}

const periodInWords = ({ estado, cuando }: PeriodStatus) => {
  if (estado === 'despues') return 'Cerrado'
  return `${estado === 'antes' ? 'Abre' : 'Hasta'} ${cuando}`
}
