import type { ReactNode } from 'react'
import type { RichBlock, TextRun } from '#app/core/text/rich-text.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './rich-text.module.css'

interface Props {
  blocks: readonly RichBlock[]
  /** Renders a run of text; by default the text is shown as it is. */
  renderText?: (content: string) => ReactNode
  className?: string | undefined
}

const ELEMENTS = { paragraph: 'p', list: 'ul', steps: 'ol' } as const

/** Renders the blocks that `parseRichText` returns: paragraphs, lists, numbered steps, links and bold text. */
export const RichText = ({ blocks, renderText, className }: Props) => (
  // live-preview.tsx finds rich text by its attribute.
  <div className={joinClasses(styles.text, className)} data-rich-text="">
    {blocks.map(({ kind, lines }, blockIndex) => {
      const Element = ELEMENTS[kind]
      return (
        <Element key={String(blockIndex)}>
          {lines.map((runs, lineIndex) => {
            const line = <TextRuns key={String(lineIndex)} runs={runs} renderText={renderText} />
            if (kind !== 'paragraph') return <li key={String(lineIndex)}>{line}</li>
            return lineIndex === 0 ? line : [<br key="br" />, line]
          })}
        </Element>
      )
    })}
  </div>
)

const TextRuns = ({ runs, renderText }: { runs: readonly TextRun[] } & Pick<Props, 'renderText'>) =>
  runs.map(({ text, isStrong, href }, index) => {
    const key = String(index)
    const content = renderText?.(text) ?? text
    const element = isStrong ? <strong key={key}>{content}</strong> : content
    return href ? (
      <a key={key} href={href}>
        {element}
      </a>
    ) : (
      element
    )
  })
