import { useState } from 'react'
import type { InputProps } from './field-props.ts'
import { LongTextInput } from './text-inputs.tsx'

const LIST_HYPHEN = /^\s*[-–•]\s+/

/** Writes a list as one line per item, each with a hyphen. */
const toText = (value: unknown) =>
  Array.isArray(value) ? value.map((one) => `- ${String(one)}`).join('\n') : typeof value === 'string' ? value : ''

/** Reads lines that all begin with a hyphen as a list, and every other text as a paragraph. */
function paragraphOf(text: string): string | string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 0 && lines.every((line) => LIST_HYPHEN.test(line))
    ? lines.map((line) => line.replace(LIST_HYPHEN, ''))
    : text
}

/** Edits a paragraph or a list. The field keeps the text as typed, although a list is stored without hyphens. */
export function ParagraphInput({ value, onChange, ...rest }: InputProps) {
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const isUnchanged = typed !== undefined && JSON.stringify(typed.value) === JSON.stringify(value)
  return (
    <LongTextInput
      {...rest}
      value={isUnchanged ? typed.text : toText(value)}
      onChange={(next) => {
        const text = String(next ?? '')
        const read = paragraphOf(text)
        setTyped({ text, value: read })
        onChange(read)
      }}
    />
  )
}
