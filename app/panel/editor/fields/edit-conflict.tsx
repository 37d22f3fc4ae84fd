import type { Conflict } from '#app/panel/editor/draft-queue.ts'
import { useEditForm } from '#app/panel/editor/use-draft.ts'
import { Button } from '#app/ui/components/button.tsx'
import styles from './field.module.css'

/** Writes a value as one line of text; a group is named by its title, name or first text. */
export function toText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '(vacío)'
  if (Array.isArray(value)) return value.map(toText).join(' · ')
  if (typeof value === 'boolean') return value ? 'Sí' : 'No'
  if (typeof value === 'object') {
    const { titulo, nombre, que, alt, texto, foto } = value as Record<string, unknown>
    return toText(
      titulo ??
        nombre ??
        que ??
        alt ??
        texto ??
        foto ??
        Object.values(value).filter((one) => typeof one === 'string')[0],
    )
  }
  return String(value)
}

export function FieldConflict({ conflict }: { conflict: Conflict }) {
  const { draftClient } = useEditForm()
  const { retoque, suyo, quien } = conflict
  return (
    <div className={styles.conflict} role="alert">
      <p>
        <b>{quien ?? 'Otra persona'} cambió esto al mismo tiempo.</b> Lo tuyo todavía no se guarda: elige con cuál se
        queda.
      </p>
      <dl>
        <dt>Lo tuyo</dt>
        <dd>{toText(retoque.que === 'poner' ? retoque.ahora : undefined)}</dd>
        <dt>Lo que está guardado</dt>
        <dd>{toText(suyo)}</dd>
      </dl>
      <div className={styles.buttons}>
        <Button look="outline" onClick={() => draftClient.resolve(conflict, 'mine')}>
          Usar lo mío
        </Button>
        <Button look="outline" onClick={() => draftClient.resolve(conflict, 'theirs')}>
          Dejar lo guardado
        </Button>
      </div>
    </div>
  )
}

/** Shows conflicts without a visible field: text typed in a removed item, and items removed here that others changed. */
export function OrphanedConflicts() {
  const { draftClient, view } = useEditForm()
  const orphans = view.queue.conflicts.filter(({ retoque, perdido }) => perdido || retoque.que !== 'poner')
  return orphans.map((conflict) => {
    const { retoque, quien, suyo } = conflict
    const authorText = quien ?? 'Otra persona'
    const isRemoval = retoque.que === 'quitar'
    return (
      <div key={`${retoque.documento}${retoque.campo.join()}${retoque.que}`} className={styles.conflict} role="alert">
        <p>
          {isRemoval ? (
            <>
              <b>{authorText} cambió lo que quitaste.</b> Ahora dice «{toText(suyo)}». Por eso sigue en la lista.
            </>
          ) : (
            <>
              <b>{authorText} quitó aquello en lo que escribías.</b> Tu texto era: «
              {toText('ahora' in retoque ? retoque.ahora : '')}». Cópialo si lo necesitas.
            </>
          )}
        </p>
        <div className={styles.buttons}>
          {isRemoval && (
            <Button look="outline" onClick={() => draftClient.resolve(conflict, 'mine')}>
              Quitarlo de todos modos
            </Button>
          )}
          <Button look="outline" onClick={() => draftClient.resolve(conflict, 'theirs')}>
            {isRemoval ? 'Dejarlo' : 'Entendido'}
          </Button>
        </div>
      </div>
    )
  })
}
