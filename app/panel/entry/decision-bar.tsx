import { Form } from 'react-router'
import type { Entry, EntryFilter, EntryState, Neighbour } from '#app/entries/schema.ts'
import { WAITING_STATES } from '#app/entries/schema.ts'
import { Aviso } from '#app/panel/notice.tsx'
import { canUndo, entryAddress } from '#app/panel/rules.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './decision-bar.module.css'

interface Props {
  inscripcion: Entry
  filtro: EntryFilter
  espera: Neighbour | undefined
  /** Whether a document is open; the next entry then opens with its first document. */
  hayAbierto: boolean
  /** Result of the last press in this bar. */
  hecho: { ok: boolean; mensaje: string } | undefined
  onFalta(): void
}

const STATE_LABELS: Record<EntryState, string> = {
  recibida: 'Recibida',
  'en-revision': 'En revisión',
  'falta-documento': 'Falta un documento',
  aceptada: 'Aceptada',
  rechazada: 'Rechazada',
}

/** The decision buttons, always within the thumb's reach; after a decision, a link to the next entry. */
export function Bar({ inscripcion, filtro, espera, hayAbierto, hecho, onFalta }: Props) {
  const { estado, version, historia } = inscripcion
  const { busy, once } = useSubmitOnce()
  const waits = WAITING_STATES.includes(estado)
  return (
    <section className={styles.barra} aria-label="Decisión" data-barra="">
      {hecho && !hecho.ok && <Aviso hecho={hecho} />}
      {/* Always in the page, so that screen readers announce its changes. */}
      <p className={joinClasses(styles.dicho, styles[estado])} role="status">
        {hecho?.ok ? hecho.mensaje : waits ? '' : `${STATE_LABELS[estado]}.`}
      </p>
      <Form method="post" preventScrollReset onSubmit={once} className={styles.botones}>
        <input type="hidden" name="version" value={version} />
        <input type="hidden" name="desde" value="barra" />
        {waits ? (
          <>
            <button
              type="submit"
              className={joinClasses(buttonLook('outline'), styles.aceptar)}
              name="hacer"
              value="aceptar"
              data-tecla="a"
              aria-disabled={busy || undefined}
            >
              Aceptar
            </button>
            <button
              type="button"
              className={joinClasses(buttonLook('outline'), styles.falta)}
              onClick={onFalta}
              data-tecla="f"
              aria-haspopup="dialog"
            >
              Falta…
            </button>
            <button
              type="submit"
              className={joinClasses(buttonLook('outline'), styles.rechazar)}
              name="hacer"
              value="rechazar"
              data-tecla="r"
              aria-disabled={busy || undefined}
            >
              Rechazar
            </button>
          </>
        ) : (
          <>
            {canUndo(historia, estado) && (
              <button
                type="submit"
                className={buttonLook('outline')}
                name="hacer"
                value="deshacer"
                data-tecla="z"
                aria-disabled={busy || undefined}
              >
                Deshacer
              </button>
            )}
            {espera ? (
              <Enlace
                to={entryAddress(espera.id, filtro, hayAbierto ? 'primero' : undefined)}
                className={joinClasses(buttonLook('outline'), styles.sigue)}
                data-tecla="s"
              >
                Siguiente que espera
              </Enlace>
            ) : (
              <Enlace to="/organizadores" className={joinClasses(buttonLook('outline'), styles.sigue)}>
                Ninguna espera
              </Enlace>
            )}
          </>
        )}
      </Form>
    </section>
  )
}
