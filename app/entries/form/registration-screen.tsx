import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import type { RegistrationResult } from '#app/entries/submission/schema.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Picture } from '#app/ui/photos/photo.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { Registration } from './lifecycle.tsx'
import formStyles from './registration-form.module.css'
import type { RegistrationFormTexts } from './registration-form.tsx'
import styles from './registration-screen.module.css'

interface RegistrationScreenProps {
  descriptor: FormDescriptor
  title: string
  texts: RegistrationFormTexts & {
    imagen: Picture
    entrada: string
    notas: readonly { titulo: string; texto: string; alLlenar: boolean }[]
  }
  submissionId: string
  result: RegistrationResult | undefined
  /** Why the form is closed, with the date; undefined while it is open. */
  closedMessage: string | undefined
}

/** Keeps a short first word of a sentence on the line of the next word. */
const keepWithNextWord = (text: string) => text.replace(/([.:] \S{1,2}) /g, '$1\u00a0')

/** Screen of a registration: its picture, its form (or the date while closed), and notes beside it. */
export function RegistrationScreen({
  descriptor,
  title,
  texts,
  submissionId,
  result,
  closedMessage,
}: RegistrationScreenProps) {
  // A form that was just posted stays visible, even if it came too late.
  const hasForm = !closedMessage || result !== undefined
  const notes = texts.notas.filter(({ alLlenar }) => hasForm || !alLlenar)
  return (
    <>
      <PhotoHeader
        picture={texts.imagen}
        title={title}
        className={joinClasses(styles.strip, descriptor.type === 'traje' && styles.costume)}
      >
        {hasForm && <p>{keepWithNextWord(texts.entrada)}</p>}
      </PhotoHeader>
      <div className={styles.page}>
        <div>
          {!hasForm ? (
            <section className={formStyles.closed}>
              <h2>{closedMessage}</h2>
              <p>
                Las fechas y las bases están en <Link to="/convocatoria">Convocatorias</Link>. Si ya te registraste,{' '}
                <Link to="/folio">consulta tu folio</Link>.
              </p>
            </section>
          ) : (
            <Registration descriptor={descriptor} submissionId={submissionId} result={result} texts={texts} />
          )}
        </div>
        <aside className={styles.notes} aria-label="Antes de empezar">
          {notes.map(({ titulo, texto }) => (
            <section key={titulo}>
              <h2>{titulo}</h2>
              <p>{texto}</p>
            </section>
          ))}
          {!closedMessage && (
            <section>
              <h2>¿Ya te registraste?</h2>
              <p>
                <Link to="/folio">Consulta tu folio</Link> y ve cómo va.
              </p>
            </section>
          )}
        </aside>
      </div>
    </>
  )
}
