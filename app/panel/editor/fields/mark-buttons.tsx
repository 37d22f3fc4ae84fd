import { type RefObject, useRef } from 'react'
import { brokenLinksOf } from '#app/core/text/rich-text.ts'
import { selectInField } from '#app/panel/select-in-field.ts'
import fieldStyles from './field.module.css'
import styles from './inputs.module.css'
import { type TextSelection, withBold, withLink, withList } from './text-marks.ts'

interface Props {
  /** Id of the text area. */
  id: string
  textArea: RefObject<HTMLTextAreaElement | null>
  text: string
  onChange(text: string): void
}

const BUTTONS: [label: string, mark: (selection: TextSelection) => TextSelection][] = [
  ['Negrita', withBold],
  ['Lista', withList],
  ['Enlace', withLink],
]

export const marksHintId = (id: string) => `${id}-marcas`

/** Shows buttons that mark the selected text as bold, list or link, links without a URL, and a hint on typing the marks by hand. */
export function MarkButtons({ id, textArea, text, onChange }: Props) {
  const notice = useRef<HTMLDivElement>(null)
  const applyMark = (mark: (selection: TextSelection) => TextSelection) => {
    const element = textArea.current!
    const markedSelection = mark({ text, start: element.selectionStart, end: element.selectionEnd })
    selectInField(element, () => onChange(markedSelection.text), markedSelection)
    // On a phone the bar at the bottom would cover the sentence on a link's missing address.
    if (notice.current?.firstChild) notice.current.scrollIntoView({ block: 'nearest' })
  }
  return (
    <>
      <div className={styles.marks}>
        {BUTTONS.map(([label, mark]) => (
          <button key={label} type="button" className={styles.mark} onClick={() => applyMark(mark)} aria-controls={id}>
            {label}
          </button>
        ))}
      </div>
      <div role="status" className={styles.notice} ref={notice}>
        {brokenLinksOf(text).map((linkText) => (
          <p key={linkText}>
            Al enlace «{linkText}» le falta su dirección: pégala en el lugar marcado, entre los paréntesis.
          </p>
        ))}
      </div>
      <p className={fieldStyles.help} id={marksHintId(id)}>
        Los asteriscos no se ven en el sitio. También puedes escribirlos: **negrita**, «- » al empezar cada renglón de
        una lista, [palabras](https://…). Un renglón vacío empieza otro párrafo.
      </p>
    </>
  )
}
