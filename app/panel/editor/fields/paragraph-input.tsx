import { useState } from 'react'
import type { PropsDeCampo } from './field-props.ts'
import { CampoLargo } from './text-inputs.tsx'

const GUION = /^\s*[-–•]\s+/

/** A list as it is written in one field: each line with a hyphen. */
const enTexto = (valor: unknown) =>
  Array.isArray(valor) ? valor.map((one) => `- ${String(one)}`).join('\n') : typeof valor === 'string' ? valor : ''

/** Lines that all begin with a hyphen are a list, everything else is a paragraph. */
function parrafoDe(text: string): string | string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 0 && lines.every((line) => GUION.test(line))
    ? lines.map((line) => line.replace(GUION, ''))
    : text
}

/** A paragraph or a list. What is being typed stays as it is typed, though a list of it is kept without hyphens. */
export function CampoDeParrafo({ valor, onCambio, ...rest }: PropsDeCampo) {
  const [typed, setTyped] = useState<{ text: string; valor: unknown }>()
  const isMine = typed !== undefined && JSON.stringify(typed.valor) === JSON.stringify(valor)
  return (
    <CampoLargo
      {...rest}
      valor={isMine ? typed.text : enTexto(valor)}
      onCambio={(next) => {
        const text = String(next ?? '')
        const read = parrafoDe(text)
        setTyped({ text, valor: read })
        onCambio(read)
      }}
    />
  )
}
