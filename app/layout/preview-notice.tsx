import { formatDateTime } from '#app/core/time/mexico-dates.ts'
// The stylesheet is imported by URL, since a stylesheet imported as a module would be in every document.
import sheet from './preview-notice.css?url'

/** Renders the notice on every screen of an organiser's preview. */
export default function PreviewNotice({ moment }: { moment: string | undefined }) {
  return (
    <>
      <link rel="stylesheet" href={sheet} precedence="default" />
      <aside className="preview-notice" aria-label="Vista previa">
        <p>
          <strong>Vista previa</strong>{' '}
          {moment === undefined ? 'Así quedaría el sitio.' : `Así se vería el ${formatDateTime(new Date(moment))}.`} Te
          tapa lo publicado, sólo a ti; desde aquí no se envía nada.
        </p>
        <a href="/organizadores/sitio/ver">Salir o cambiar la hora</a>
      </aside>
    </>
  )
}
