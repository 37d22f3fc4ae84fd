import { useRef } from 'react'
import { Button } from '#app/ui/components/button.tsx'
import styles from './keyboard-shortcuts.module.css'
import { useKeyboardShortcuts } from './use-keyboard-shortcuts.ts'

/** The shortcuts for people to read; the elements themselves name their keys in `data-shortcut`. */
const KEY_BINDINGS: [keys: string[], label: string][] = [
  [['a'], 'Aceptar'],
  [['f'], 'Falta un documento'],
  [['r'], 'Rechazar'],
  [['z'], 'Deshacer el último cambio'],
  [['s'], 'Siguiente que espera'],
  [['j', 'n'], 'Inscripción siguiente'],
  [['k', 'p'], 'Inscripción anterior'],
  [['←', '→'], 'Documento anterior y siguiente'],
  [['+', '−', '0'], 'Acercar, alejar y ver entero'],
  [['g'], 'Girar'],
  [['Esc'], 'Cerrar el documento'],
  [['?'], 'Estas teclas'],
]

/** Turns on the keyboard shortcuts of an entry; «?» opens their list. */
export function KeyboardShortcuts() {
  const dialog = useRef<HTMLDialogElement>(null)
  useKeyboardShortcuts()
  return (
    <>
      <button
        type="button"
        className={styles.button}
        data-shortcut="?"
        onClick={() => dialog.current?.showModal()}
        aria-haspopup="dialog"
      >
        Teclas <kbd>?</kbd>
      </button>
      <dialog ref={dialog} className={styles.keys} aria-labelledby="teclas">
        <h2 id="teclas">Con el teclado</h2>
        <dl>
          {KEY_BINDINGS.map(([keys, label]) => (
            <div key={label}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{label}</dd>
            </div>
          ))}
        </dl>
        <Button look="outline" onClick={() => dialog.current?.close()}>
          Cerrar
        </Button>
      </dialog>
    </>
  )
}
