import type { Edicion } from '#app/cms/editions/displayed-edition.server.ts'
import type { PeriodoDicho } from '#app/cms/settings/schema.ts'
import { FORMULARIOS, usePeriodos } from '#app/cms/settings/use-periods.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Emblema } from '#app/ui/ornaments/emblem.tsx'
import { Redes } from '#app/ui/sharing/social-links.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './footer.module.css'
import { Sesion } from './lazy-session-line.tsx'

export type DatosPie = Pick<Edicion, 'nombre' | 'rotulo' | 'anio' | 'feria' | 'lugar' | 'redes'> & {
  hayPrograma: boolean
}

/** @param corto whether there is work on the screen: then it leads nowhere but out, and takes little room */
export function Pie({ edicion, corto }: { edicion: DatosPie | undefined; corto: boolean }) {
  return (
    <footer className={unir(styles.pie, corto && styles.corto)}>
      <div className={styles.picado} aria-hidden="true" />
      {edicion && (
        <div className={styles.dentro}>
          <Enlace to="/" prefetch="intent" className={styles.logo} aria-label={`${edicion.nombre}, inicio`}>
            <Emblema className={styles.emblema} />
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
            {/* A document of its own: only that one may keep itself for when there is no line. */}
            {!corto && edicion.hayPrograma && <a href="/programa">Programa de la feria</a>}
            {!corto && <a href="/feria.ics">Añadir a mi calendario</a>}
          </div>
          {!corto && <Registros />}
          <Redes {...edicion.redes} />
          <p className={styles.legal}>
            <Enlace to="/aviso-de-privacidad">Aviso de privacidad</Enlace>
            <span>
              {edicion.feria.nombre} {edicion.feria.desde} — {edicion.anio}
            </span>
          </p>
        </div>
      )}
      <Sesion />
    </footer>
  )
}

/** Links to the forms and, once it is known, until or from when each is open. */
function Registros() {
  const periodos = usePeriodos()
  return (
    <ul className={styles.registros}>
      {FORMULARIOS.map(({ registro, a, nombre }) => (
        <li key={registro}>
          {/* These links stand on every screen, so their forms are not fetched ahead. */}
          <Enlace to={a} prefetch="none">
            {nombre}
          </Enlace>
          <span className={styles.cuando}>{periodos && cuandoDe(periodos[registro])}</span>
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

const cuandoDe = ({ estado, cuando }: PeriodoDicho) => {
  if (estado === 'despues') return 'Cerrado'
  return `${estado === 'antes' ? 'Abre' : 'Hasta'} ${cuando}`
}
