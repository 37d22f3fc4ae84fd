import { type ChangeEvent, useEffect, useRef } from 'react'
import type { JudgingTable } from './data.server.ts'

/** Reads the names, by field, that were typed in this tab and are not saved yet; none without sessionStorage. */
function readTypedNames(key: string): Record<string, string> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, string>
  } catch {
    return {}
  }
}

function storeTypedNames(key: string, names: Record<string, string>): void {
  try {
    if (Object.keys(names).length > 0) sessionStorage.setItem(key, JSON.stringify(names))
    else sessionStorage.removeItem(key)
  } catch {
    // Without sessionStorage the names stay in the fields until the page is left.
  }
}

/** Keeps the judges' typed names until they are saved: they survive a reload and the prompt for the password. */
export function useTypedNames({ edition, jury }: Pick<JudgingTable, 'edition' | 'jury'>) {
  const form = useRef<HTMLFormElement>(null)
  const key = `final.${edition}.jurado`
  useEffect(() => {
    for (const [name, value] of Object.entries(readTypedNames(key))) {
      const field = form.current?.elements.namedItem(name)
      if (field instanceof HTMLInputElement) field.value = value
    }
  }, [key])
  useEffect(() => {
    const isSaved = ([field, value]: [string, string]) =>
      jury.some(({ number, name }) => field === `nombre-${number}` && name === value.trim())
    const typedNames = Object.entries(readTypedNames(key))
    if (typedNames.some(isSaved))
      storeTypedNames(key, Object.fromEntries(typedNames.filter((field) => !isSaved(field))))
  }, [key, jury])
  const keepTypedName = ({ target }: ChangeEvent<HTMLInputElement>) =>
    storeTypedNames(key, { ...readTypedNames(key), [target.name]: target.value })
  return { form, keepTypedName }
}
