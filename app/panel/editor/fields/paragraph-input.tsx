import { useState } from 'react'
import type { InputProps } from './field-props.ts'
import { LongTextInput } from './text-inputs.tsx'

const LIST_HYPHEN = /^\s*[-–•]\s+/

/** Returns a list as one line per item, each with a hyphen, and a text as it is. */
const textOfParagraph = (value: unknown) =>
  Array.isArray(value) ? value.map((item) => `- ${String(item)}`).join('\n') : typeof value === 'string' ? value : ''

/** Returns a list if all lines begin with a hyphen, otherwise the text as a paragraph. */
function paragraphOf(text: string): string | string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 0 && lines.every((line) => LIST_HYPHEN.test(line))
    ? lines.map((line) => line.replace(LIST_HYPHEN, ''))
    : text
}

/** Edits a paragraph or a list. A list is stored without hyphens, but the input keeps the text as typed. */
export function ParagraphInput({ value, onChange, ...rest }: InputProps) {
  const [typedParagraph, setTypedParagraph] = useState<{ text: string; value: unknown }>()
  const isUnchanged = typedParagraph !== undefined && JSON.stringify(typedParagraph.value) === JSON.stringify(value)
  return (
    <LongTextInput
      {...rest}
      value={isUnchanged ? typedParagraph.text : textOfParagraph(value)}
      onChange={(next) => {
        const text = String(next ?? '')
        const paragraph = paragraphOf(text)
        setTypedParagraph({ text, value: paragraph })
        onChange(paragraph)
      }}
    />
  )
}
