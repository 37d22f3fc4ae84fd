import type { Edicion } from '#app/contenido/contenido.server.ts'
import styles from './patrocinadores.module.css'

const redOf = (url: string) => (url.includes('instagram.com') ? 'Instagram' : 'Facebook')

export function Patrocinadores({ patrocinadores }: Pick<Edicion, 'patrocinadores'>) {
  return (
    <section className={styles.patrocinadores} aria-labelledby="patrocinadores">
      <h2 id="patrocinadores">NUESTROS PATROCINADORES</h2>
      <ul>
        {patrocinadores.map(({ id, nombre, marca, red }) => (
          <li key={id}>
            <a
              href={red}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={`${nombre} en ${redOf(red)} (se abre en otra pestaña)`}
            >
              <img src={marca} alt={nombre} width="240" height="96" loading="lazy" decoding="async" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
