import type { Forma } from '#app/entries/definitions/form.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import type { Picture } from '#app/ui/photos/photo.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { Registration } from './lifecycle.tsx'
import formStyles from './registration-form.module.css'
import type { RegistrationFormTexts } from './registration-form.tsx'
import styles from './registration-screen.module.css'

interface RegistrationScreenProps {
  forma: Forma
  titulo: string
  textos: RegistrationFormTexts & {
    imagen: Picture
    entrada: string
    notas: readonly { titulo: string; texto: string; alLlenar: boolean }[]
  }
  entrega: string
  resultado: RegistrationResult | undefined
  /** Why the form is closed, with the date; undefined while it is open. */
  cerrado: string | undefined
}

/** Keeps a short first word of a sentence on the line of the next word. */
const keepWithNextWord = (text: string) => text.replace(/([.:] \S{1,2}) /g, '$1\u00a0')

/** Screen of a registration: its picture, its form (or the date while closed), and notes beside it. */
export function RegistrationScreen({ forma, titulo, textos, entrega, resultado, cerrado }: RegistrationScreenProps) {
  // A form that was just posted stays visible, even if it came too late.
  const hasForm = !cerrado || resultado !== undefined
  const notes = textos.notas.filter(({ alLlenar }) => hasForm || !alLlenar)
  return (
    <>
      <PhotoHeader
        imagen={textos.imagen}
        titulo={titulo}
        className={joinClasses(styles.franja, forma.tipo === 'traje' && styles.traje)}
      >
        {hasForm && <p>{keepWithNextWord(textos.entrada)}</p>}
      </PhotoHeader>
      <div className={styles.page}>
        <div>
          {!hasForm ? (
            <section className={formStyles.closed}>
              <h2>{cerrado}</h2>
              <p>
                Las fechas y las bases están en <Enlace to="/convocatoria">Convocatorias</Enlace>. Si ya te registraste,{' '}
                <Enlace to="/folio">consulta tu folio</Enlace>.
              </p>
            </section>
          ) : (
            <Registration forma={forma} entrega={entrega} resultado={resultado} textos={textos} />
          )}
        </div>
        <aside className={styles.notes} aria-label="Antes de empezar">
          {notes.map(({ titulo, texto }) => (
            <section key={titulo}>
              <h2>{titulo}</h2>
              <p>{texto}</p>
            </section>
          ))}
          {!cerrado && (
            <section>
              <h2>¿Ya te registraste?</h2>
              <p>
                <Enlace to="/folio">Consulta tu folio</Enlace> y ve cómo va.
              </p>
            </section>
          )}
        </aside>
      </div>
    </>
  )
}
