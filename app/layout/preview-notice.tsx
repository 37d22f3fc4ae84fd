import { formatDateTime } from '#app/core/time/mexico-dates.ts'
// A sheet by its address: one that a component brings along would be in every document.
import sheet from './preview-notice.css?url'

/** Stands over every screen that an organiser sees as it would be. */
export default function MarcaDeVista({ momento }: { momento: string | undefined }) {
  return (
    <>
      <link rel="stylesheet" href={sheet} precedence="default" />
      <aside className="vista-previa" aria-label="Vista previa">
        <p>
          <strong>Vista previa</strong>{' '}
          {momento === undefined ? 'Así quedaría el sitio.' : `Así se vería el ${formatDateTime(new Date(momento))}.`}
        </p>
        <a href="/organizadores/sitio/ver">Salir o cambiar la hora</a>
      </aside>
    </>
  )
}
