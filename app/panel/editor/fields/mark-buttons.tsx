import type { RefObject } from 'react'
import { brokenLinksOf } from '#app/core/text/rich-text.ts'
import fieldStyles from './field.module.css'
import styles from './inputs.module.css'
import { type ChosenText, withBold, withLink, withList } from './text-marks.ts'

interface Props {
  /** The text area has this id. */
  id: string
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  onChange(text: string): void
}

const BUTTONS: [name: string, mark: (chosen: ChosenText) => ChosenText][] = [
  ['Negrita', withBold],
  ['Lista', withList],
  ['Enlace', withLink],
]

export const marksHintId = (id: string) => `${id}-marcas`

/** Shows the buttons that mark the chosen part of a text, with a hint for typing the marks by hand. */
export function MarkButtons({ id, area, text, onChange }: Props) {
  const press = (mark: (chosen: ChosenText) => ChosenText) => {
    const element = area.current!
    const marked = mark({ text, from: element.selectionStart, to: element.selectionEnd })
    onChange(marked.text)
    element.focus()
    requestAnimationFrame(() => element.setSelectionRange(marked.from, marked.to))
  }
  return (
    <>
      <div className={styles.marks}>
        {BUTTONS.map(([name, mark]) => (
          <button key={name} type="button" className={styles.mark} onClick={() => press(mark)} aria-controls={id}>
            {name}
          </button>
        ))}
      </div>
      <p className={fieldStyles.help} id={marksHintId(id)}>
        O escríbelo: **negrita**, «- » al empezar cada renglón de una lista, [palabras](https://…). Un renglón vacío
        empieza otro párrafo.
      </p>
      {brokenLinksOf(text).map((words) => (
        <p key={words} className={fieldStyles.help}>
          Al enlace «{words}» le falta su dirección: pégala completa entre los paréntesis.
        </p>
      ))}
    </>
  )
}
