import { cabeza } from '#app/edicion/cabeza.ts'
import { loadEdicion } from '#app/edicion/contenido.server.ts'
import type { Route } from './+types/privacidad.page'
import styles from './privacidad.page.module.css'

export const handle = { ahead: true }

export async function loader() {
  const { privacidad } = await loadEdicion()
  return privacidad
}

export const meta: Route.MetaFunction = (args) =>
  cabeza({ pantalla: 'Aviso de privacidad', descripcion: args.loaderData?.entrada }, args)

export default function PrivacidadPage({ loaderData: { vigente, entrada, secciones } }: Route.ComponentProps) {
  return (
    <article className={styles.notice}>
      <header className={styles.head}>
        <h1>Aviso de privacidad</h1>
        <p className={styles.lead}>{entrada}</p>
        <p className={styles.date}>{`Vigente desde el ${vigente}.`}</p>
      </header>
      {secciones.map(({ titulo, cuerpo }) => (
        <section className={styles.section} key={titulo}>
          <h2>{titulo}</h2>
          <div className={styles.body}>
            {cuerpo.map((parte) =>
              typeof parte === 'string' ? (
                <p key={parte}>{parte}</p>
              ) : (
                <ul key={parte[0]}>
                  {parte.map((punto) => (
                    <li key={punto}>{punto}</li>
                  ))}
                </ul>
              ),
            )}
          </div>
        </section>
      ))}
    </article>
  )
}
