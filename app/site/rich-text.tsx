import type { ReactNode } from 'react'
import type { RichBlock, TextRun } from '#app/core/text/rich-text.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './rich-text.module.css'

interface Props {
  blocks: readonly RichBlock[]
  /** Renders words, which are otherwise shown as they are. */
  renderWords?: (words: string) => ReactNode
  className?: string | undefined
}

const ELEMENTS = { paragraph: 'p', list: 'ul', steps: 'ol' } as const

/** Shows a text with the marks that people typed (app/core/text/rich-text.ts). */
export const RichText = ({ blocks, renderWords, className }: Props) => (
  <div className={joinClasses(styles.text, className)} data-rich-text="">
    {blocks.map(({ kind, lines }, at) => {
      const Element = ELEMENTS[kind]
      return (
        <Element key={String(at)}>
          {lines.map((chunks, line) => {
            const shown = <Chunks key={String(line)} chunks={chunks} renderWords={renderWords} />
            if (kind !== 'paragraph') return <li key={String(line)}>{shown}</li>
            return line === 0 ? shown : [<br key="br" />, shown]
          })}
        </Element>
      )
    })}
  </div>
)

const Chunks = ({ chunks, renderWords }: { chunks: readonly TextRun[] } & Pick<Props, 'renderWords'>) =>
  chunks.map(({ text, isStrong, href }, at) => {
    const key = String(at)
    const words = renderWords?.(text) ?? text
    const shown = isStrong ? <strong key={key}>{words}</strong> : words
    return href ? (
      <a key={key} href={href}>
        {shown}
      </a>
    ) : (
      shown
    )
  })
