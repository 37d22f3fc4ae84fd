import type { Edicion } from '#app/cms/editions/displayed-edition.server.ts'
import { FORMULARIOS, usePeriodos } from '#app/cms/settings/use-periods.ts'
import { anuncioDeHoy } from '#app/site/calls/rules.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { Emblema } from '#app/ui/ornaments/emblem.tsx'
import { Foto } from '#app/ui/photos/photo.tsx'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './coming-soon.module.css'

interface Props {
  certamen: string
  anuncios: Edicion['convocatorias']['anuncios']
}

/** Before the candidates are announced: that there will be some, and the calls by which one becomes one of them. */
export function Pronto({ certamen, anuncios }: Props) {
  const periodos = usePeriodos()
  return (
    <div className={styles.pronto}>
      <Emblema alFondo />
      <header>
        <p className={styles.rotulo}>{certamen}</p>
        <h1>Pronto conocerás a las candidatas</h1>
        <p className={styles.entrada}>
          El comité las presentará aquí, una por una, con su nombre, su pueblo y sus fotografías.
        </p>
      </header>
      {anuncios.length > 0 && (
        <section className={styles.convocatorias} aria-labelledby="convocatorias">
          <h2 id="convocatorias">Mientras tanto</h2>
          <ul>
            {anuncios.map((anuncio) => {
              const periodo = periodos && anuncio.registro ? periodos[anuncio.registro] : undefined
              const { titulo, texto, imagen, identidad } = anuncioDeHoy(anuncio, periodo)
              const formulario = FORMULARIOS.find(({ registro }) => registro === anuncio.registro)
              const isOpen = periodo?.estado === 'abierto'
              return (
                <li key={identidad}>
                  <Foto imagen={imagen} sizes="(max-width: 640px) 40vw, 16rem" className={styles.foto} />
                  <div>
                    <h3>{titulo}</h3>
                    <p>{texto}</p>
                    <Enlace
                      to={isOpen && formulario ? formulario.a : '/convocatoria'}
                      prefetch="none"
                      className={unir(buttonLook(isOpen ? 'main' : 'outline'), styles.accion)}
                    >
                      {isOpen ? 'Registrarse' : 'Ver la convocatoria'}
                    </Enlace>
                  </div>
                </li>
              )
            })}
          </ul>
        </section>
      )}
    </div>
  )
}
