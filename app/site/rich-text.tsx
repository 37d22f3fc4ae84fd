import type { ReactNode } from 'react'
import type { RichBlock, TextRun } from '#app/core/text/rich-text.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './rich-text.module.css'

interface Props {
  blocks: readonly RichBlock[]
  /** Renders a run of text; by default the text is shown as it is. */
  renderWords?: (content: string) => ReactNode
  className?: string | undefined
}

const ELEMENTS = { paragraph: 'p', list: 'ul', steps: 'ol' } as const

/** Renders a text with marks for lists, links and emphasis (app/core/text/rich-text.ts). */
export const RichText = ({ blocks, renderWords, className }: Props) => (
  <div className={joinClasses(styles.text, className)} data-rich-text="">
    {blocks.map(({ kind, lines }, blockIndex) => {
      const Element = ELEMENTS[kind]
      return (
        <Element key={String(blockIndex)}>
          {lines.map((chunks, lineIndex) => {
            const line = <Chunks key={String(lineIndex)} chunks={chunks} renderWords={renderWords} />
            if (kind !== 'paragraph') return <li key={String(lineIndex)}>{line}</li>
            return lineIndex === 0 ? line : [<br key="br" />, line]
          })}
        </Element>
      )
    })}
  </div>
)

const Chunks = ({ chunks, renderWords }: { chunks: readonly TextRun[] } & Pick<Props, 'renderWords'>) =>
  chunks.map(({ text, isStrong, href }, index) => {
    const key = String(index)
    const content = renderWords?.(text) ?? text
    const element = isStrong ? <strong key={key}>{content}</strong> : content
    return href ? (
      <a key={key} href={href}>
        {element}
      </a>
    ) : (
      element
    )
  })
