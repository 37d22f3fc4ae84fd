import type { Edicion } from '#app/edicion/contenido.server.ts'
import styles from './patrocinadores.module.css'

const redOf = (url: string) => (url.includes('instagram.com') ? 'Instagram' : 'Facebook')

type Patrocinador = Omit<Edicion['patrocinadores'][number], 'id'>

export function Patrocinadores({ patrocinadores }: { patrocinadores: Patrocinador[] }) {
  return (
    <section className={styles.patrocinadores} aria-labelledby="patrocinadores">
      <h2 id="patrocinadores">NUESTROS PATROCINADORES</h2>
      <ul>
        {patrocinadores.map(({ nombre, marca, red }) => (
          <li key={marca}>
            <a
              href={red}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={`${nombre} en ${redOf(red)} (se abre en otra pestaña)`}
            >
              <img src={marca} alt={nombre} width="240" height="96" loading="lazy" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
